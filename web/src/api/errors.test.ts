import { afterEach, expect, test, vi } from "vitest";

import { revokeTokens } from ".";
import { fetchWithRecentSignIn, onRecentSignInRequired, RequestCancelled } from "./errors";

const required = { type: "recent-sign-in-required", detail: "Confirm your password." };
const sent: string[] = [];

function answering(...answers: readonly [status: number, body: unknown][]): void {
  const left = [...answers];
  vi.stubGlobal("fetch", async (request: Request) => {
    sent.push(await request.text());
    const [status, body] = left.shift() ?? [500, null];
    return new Response(JSON.stringify(body), { status });
  });
}

function post(): Promise<Response> {
  return fetchWithRecentSignIn(new Request("http://here.example/api/v1/user/token", { method: "POST", body: "draft" }));
}

afterEach(() => {
  vi.unstubAllGlobals();
  sent.length = 0;
});

test("a request is repeated with its body after the sign-in was confirmed", async () => {
  answering([403, required], [201, {}]);
  onRecentSignInRequired(() => Promise.resolve(true));
  expect((await post()).status).toBe(201);
  expect(sent).toEqual(["draft", "draft"]);
});

test("a request that was not confirmed is cancelled", async () => {
  answering([403, required]);
  onRecentSignInRequired(() => Promise.resolve(false));
  await expect(post()).rejects.toBeInstanceOf(RequestCancelled);
  expect(sent).toEqual(["draft"]);
});

test("a generated call that was not confirmed is cancelled too", async () => {
  answering([403, required]);
  onRecentSignInRequired(() => Promise.resolve(false));
  await expect(revokeTokens({ baseUrl: "http://here.example" })).rejects.toBeInstanceOf(RequestCancelled);
});

test("other errors ask for nothing", async () => {
  const ask = vi.fn(() => Promise.resolve(true));
  onRecentSignInRequired(ask);
  for (const answer of [
    [403, { type: "permission-missing", detail: "" }],
    [403, "no problem"],
    [500, null],
  ] as const) {
    answering([answer[0], answer[1]]);
    expect((await post()).status).toBe(answer[0]);
  }
  expect(ask).not.toHaveBeenCalled();
});
