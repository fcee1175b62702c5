/** A `fetch` that reports upload progress from 0 to 1, which the browser's own does not. */
export function fetchWithProgress(onSent: (share: number) => void): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = await request.arrayBuffer();
    return new Promise((resolve, reject) => {
      const sending = new XMLHttpRequest();
      sending.open(request.method, request.url);
      for (const [name, value] of request.headers) sending.setRequestHeader(name, value);
      sending.responseType = "arraybuffer";
      sending.upload.onprogress = ({ loaded, total }) => {
        if (total) onSent(loaded / total);
      };
      sending.onload = () => {
        const type = sending.getResponseHeader("Content-Type") ?? "";
        resolve(
          new Response(sending.response as ArrayBuffer, { status: sending.status, headers: { "Content-Type": type } }),
        );
      };
      sending.onerror = () => {
        reject(new TypeError("The connection broke."));
      };
      sending.send(body);
    });
  };
}
