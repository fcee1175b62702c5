import { afterEach, expect, test, vi } from "vitest";

import { fetchWithRecentSignIn, onRecentSignInRequired } from "./errors";

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

test("a request that was not confirmed fails as it did", async () => {
  answering([403, required]);
  onRecentSignInRequired(() => Promise.resolve(false));
  const response = await post();
  expect([response.status, await response.json()]).toEqual([403, required]);
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
