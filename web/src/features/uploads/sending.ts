import { DefaultHttpStack, DetailedError, type HttpRequest, Upload } from "tus-js-client";
import { reactive } from "vue";

import { isProblem, NetworkError } from "@/api";
import { withBase } from "@/api/basePath";

import { sha256Of } from "./hashing";
import type { PickedFile } from "./picking";

/** An upload that this page sends. It continues while other pages are shown. */
export interface Sending {
  state: "sending" | "paused" | "failed";
  sent: number;
  problem: unknown;
}

// A request has one hash, for which it is read into memory. After an interruption it is sent again.
const PIECE_BYTES = 32 * 1024 * 1024;
// Longer than a restart of the server takes.
const RETRY_DELAYS_MS = [0, 1_000, 3_000, 5_000, 10_000, 30_000, 60_000];
const CHECKSUM_MISMATCH = 460;
// The server is still working on the previous request, or the upload continues elsewhere than expected.
const CONFLICT = 409;

/** A file on this computer has changed or vanished since it was chosen. Trying again does not help. */
export class FileChanged extends Error {}

/** By the id of the upload. */
export const sendings = reactive(new Map<string, Sending>());
const uploads = new Map<string, Upload>();

/** Send the content of files, from where the server has it. `onEnd` is called when all of it has arrived. */
export function send(id: string, files: readonly PickedFile[], onEnd: () => void): void {
  pause(id);
  sendings.set(id, { state: "sending", sent: 0, problem: null });
  const upload = new Upload(new Blob(files.map(({ file }) => file)), {
    uploadUrl: withBase(`/api/v1/admin/uploads/${id}`),
    chunkSize: PIECE_BYTES,
    retryDelays: RETRY_DELAYS_MS,
    storeFingerprintForResuming: false,
    httpStack: new HashingStack({}),
    onShouldRetry: (error) =>
      !(error.causingError instanceof FileChanged) && isTemporary(error.originalResponse?.getStatus() ?? 0),
    onProgress: (sent) => {
      const sending = sendings.get(id);
      if (sending) sending.sent = sent;
    },
    onSuccess: () => {
      forget(id);
      onEnd();
    },
    onError: (error) => {
      const sending = sendings.get(id);
      if (sending) Object.assign(sending, { state: "failed", problem: problemOf(error) });
    },
  });
  uploads.set(id, upload);
  upload.start();
}

export function pause(id: string): void {
  void uploads.get(id)?.abort();
  const sending = sendings.get(id);
  if (sending) sending.state = "paused";
}

export function resume(id: string): void {
  const sending = sendings.get(id);
  if (!sending) return;
  Object.assign(sending, { state: "sending", problem: null });
  uploads.get(id)?.start();
}

/** Stop sending an upload for good. */
export function forget(id: string): void {
  pause(id);
  uploads.delete(id);
  sendings.delete(id);
}

function isTemporary(status: number): boolean {
  return status < 400 || status >= 500 || status === CONFLICT || status === CHECKSUM_MISMATCH;
}

/** The problem document of the service, that it did not respond, or that a file has changed. */
function problemOf(error: Error): unknown {
  if (error instanceof DetailedError && error.causingError instanceof FileChanged) return error.causingError;
  const body = error instanceof DetailedError ? error.originalResponse?.getBody() : undefined;
  if (!body) return new NetworkError();
  try {
    const problem: unknown = JSON.parse(body);
    return isProblem(problem) ? problem : error;
  } catch {
    return error;
  }
}

/** Sends each piece with its hash. */
class HashingStack extends DefaultHttpStack {
  override createRequest(method: string, url: string): HttpRequest {
    const request = super.createRequest(method, url);
    const send = request.send.bind(request);
    const abort = request.abort.bind(request);
    let isAborted = false;
    request.abort = () => {
      isAborted = true;
      return abort();
    };
    request.send = async (body: unknown) => {
      // What is hashed is what is sent, and only reading tells a changed file from a broken connection.
      const piece = body instanceof Blob ? await bytesOf(body) : body;
      if (piece instanceof ArrayBuffer) {
        const hash = await sha256Of(piece);
        request.setHeader("Upload-Checksum", `sha256 ${btoa(String.fromCharCode(...hash))}`);
      }
      // The library ignores a request that it has aborted.
      return isAborted ? new Promise(() => undefined) : send(piece);
    };
    return request;
  }
}

async function bytesOf(piece: Blob): Promise<ArrayBuffer> {
  try {
    return await piece.arrayBuffer();
  } catch {
    throw new FileChanged();
  }
}
