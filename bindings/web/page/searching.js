// A search in a worker. A page without a server shares no memory with it: it is cancelled by ending it, and what it has told stays.
let searching = null;

function beginSearch(bytes, question, heard) {
  endSearch();
  const source = ['module', 'worker'].map((id) => document.getElementById(id).textContent).join('\n');
  const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  const worker = new Worker(address);
  searching = { worker, address, began: performance.now() };
  const done = (what) => {
    if (searching?.worker !== worker) return;
    endSearch();
    heard(what);
  };
  worker.onmessage = ({ data }) => data.progress ? heard(data) : done(data);
  worker.onerror = (event) => done({ trouble: event.message || 'the browser does not start a worker' });
  worker.postMessage({ bytes, question });
}

function endSearch() {
  if (!searching) return;
  searching.worker.terminate();
  URL.revokeObjectURL(searching.address);
  searching = null;
}
