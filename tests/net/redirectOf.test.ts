import { expect, it } from "@effect/vitest"
import { redirectOf } from "../../src/net/redirectOf.ts"

const url = new URL("https://a.example/dir/x?q#f")
const body = new Uint8Array([1])
const after = (status: number, location: string | undefined, method = "POST") => {
  const headers: Record<string, string> = location === undefined ? {} : { location }
  const next = redirectOf({ url, method, body }, { status, headers })
  return next && [next.method, next.url.href, next.body?.length]
}

it.each([
  [301, "GET", undefined],
  [302, "GET", undefined],
  [303, "GET", undefined],
  [307, "POST", 1],
  [308, "POST", 1],
])("a %i makes a POST a %s", (status, method, length) => {
  expect(after(status, "../y")).toEqual([method, "https://a.example/y", length])
})

it("keeps the method and body of a PUT but for a 303, and HEAD always", () => {
  expect(after(302, "y", "PUT")).toEqual(["PUT", "https://a.example/dir/y", 1])
  expect(after(303, "y", "PUT")?.[0]).toBe("GET")
  expect(after(303, "y", "HEAD")?.[0]).toBe("HEAD")
})

it("follows nothing else", () => {
  expect([after(200, "y"), after(300, "y"), after(304, "y"), after(302, undefined), after(302, "http://")]).toEqual(
    Array(5).fill(undefined),
  )
})
