// A search of its own: it answers once, and tells how far it is until then.
onmessage = async ({ data }) => {
  try {
    const ask = await load(data.bytes, (progress) => postMessage({ progress }));
    postMessage({ answer: ask('explore', data.question) });
  } catch (error) {
    postMessage({ trouble: error.message });
  }
};
