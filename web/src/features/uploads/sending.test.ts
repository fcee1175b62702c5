import { afterEach, expect, test, vi } from "vitest";

import { FileChanged, forget, send, sendings } from "./sending";

// Tests would load the variant for Node.js.
vi.mock("tus-js-client", () => vi.importActual("tus-js-client/lib.esm/browser/index.js"));

/** Answers that nothing of the upload has been received. */
class EmptyUpload {
  static sent: string[] = [];
  status = 200;
  upload = {};
  onload = () => undefined;
  private method = "";

  open(method: string): void {
    this.method = method;
  }
  setRequestHeader(): void {
    // Every header is accepted.
  }
  getResponseHeader(name: string): string {
    return name === "Upload-Length" ? "4" : "0";
  }
  send(): void {
    EmptyUpload.sent.push(this.method);
    setTimeout(() => this.onload());
  }
  abort(): void {
    // Nothing is under way.
  }
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test("a file that has changed is not sent again and again", async () => {
  vi.stubGlobal("XMLHttpRequest", EmptyUpload);
  const read = vi.spyOn(Blob.prototype, "arrayBuffer").mockRejectedValue(new DOMException("", "NotReadableError"));

  send("id", [{ path: "a", file: new File(["data"], "a") }], () => undefined);
  await vi.waitFor(() => {
    expect(sendings.get("id")?.state).toBe("failed");
  });

  expect(sendings.get("id")?.problem).toBeInstanceOf(FileChanged);
  expect(read).toHaveBeenCalledTimes(1);
  expect(EmptyUpload.sent).toEqual(["HEAD"]);
  forget("id");
});
