// A separate search: it answers once, and reports its progress until then.
onmessage = async ({ data }) => {
  try {
    const ask = await load(data.bytes, (progress) => postMessage({ progress }));
    postMessage({ answer: ask('explore', data.question) });
  } catch (error) {
    postMessage({ trouble: error.message });
  }
};
