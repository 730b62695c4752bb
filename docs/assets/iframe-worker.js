// A browser starts no worker from a disk. Read from there, the search runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.body.appendChild(Object.assign(document.createElement("iframe"), { hidden: true }));
      this.inner = this.frame.contentWindow;
      this.inner.importScripts = (...urls) => urls.reduce((before, one) => before.then(() => this.load(one)), Promise.resolve());
      this.inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.loaded = this.load(url);
    }

    load(url) {
      const script = Object.assign(this.inner.document.createElement("script"), { src: url });
      return new Promise((done, failed) => {
        Object.assign(script, { onload: done, onerror: failed });
        this.inner.document.body.append(script);
      });
    }

    postMessage(data) {
      this.loaded.then(() => this.inner.dispatchEvent(new this.inner.MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
