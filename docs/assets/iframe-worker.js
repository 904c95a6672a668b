// Search for a site that is opened from a folder: browsers give pages of files no Worker. This one runs
// the worker's script in a hidden frame instead; the site's search looks for it by this name.
// On a server nothing is changed.

if (location.protocol === "file:") {
  class IFrameWorker extends EventTarget {
    /** @param {string | URL} address of the script */
    constructor(address) {
      super();
      /** @type {unknown[] | null} what is sent before the script has come; null from then on */
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inner = /** @type {any} */ (this.frame.contentWindow);
      // What the script posts goes to the page.
      inner.postMessage = (/** @type {unknown} */ data) =>
        this.dispatchEvent(new MessageEvent("message", {data}));
      const script = inner.document.createElement("script");
      script.src = String(address);
      script.onload = () => {
        const waiting = this.waiting ?? [];
        this.waiting = null;
        for (const data of waiting) this.postMessage(data);
      };
      inner.document.body.append(script);
    }

    /** @param {unknown} data for the script */
    postMessage(data) {
      if (this.waiting) {
        this.waiting.push(data);
        return;
      }
      const inner = /** @type {any} */ (this.frame.contentWindow);
      inner.dispatchEvent(new inner.MessageEvent("message", {data}));
    }

    terminate() {
      this.frame.remove();
    }
  }
  Object.assign(window, {IFrameWorker, Worker: IFrameWorker});
}
