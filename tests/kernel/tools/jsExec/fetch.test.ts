import { expect, it } from "@effect/vitest"
import { jsExec } from "../../../../src/kernel/tools/jsExec/jsExec.ts"
import { Sandbox } from "../../../../src/sandbox/mod.ts"

interface Seen {
  readonly method: string
  readonly url: string
  readonly authorization: string | null
  readonly body: string
}

const open = (seen: Array<Seen>): Promise<Awaited<ReturnType<typeof Sandbox.open>>> =>
  Sandbox.open({
    programs: { "js-exec": jsExec },
    timeout: "60 seconds",
    network: {
      origins: ["http://*"],
      fetch: async (request) => {
        const { method, url } = request
        seen.push({ method, url, authorization: request.headers.get("authorization"), body: await request.text() })
        const { pathname } = new URL(url)
        if (pathname === "/moved") {
          return new Response(null, { status: 302, headers: { location: "http://b.example/end" } })
        }
        if (pathname === "/loop") {
          return new Response(null, { status: 302, headers: { location: "/loop" } })
        }
        if (pathname === "/slow") return new Promise(() => undefined)
        if (pathname === "/large") return new Response(new Uint8Array(40_000_000))
        return Response.json({ path: pathname }, {
          status: pathname === "/end" ? 200 : 404,
          headers: { "x-test": "yes" },
        })
      },
    },
  })

const run = async (code: string, seen: Array<Seen> = []): Promise<string> => {
  await using sandbox = await open(seen)
  await sandbox.writeFile("code.mjs", code)
  const { exitCode, stderr, stdout } = await sandbox.run("js-exec code.mjs", { check: false })
  return `${stdout}${stderr}[${exitCode}]`
}

it("sends requests by the network policy, some at once", async () => {
  const seen: Array<Seen> = []
  expect(
    await run(
      `const r = await fetch("http://a.example/end", { method: "POST", body: JSON.stringify({ a: 1 }), headers: { Authorization: "me" } })
console.log(r.status, r.ok, r.headers.get("x-test"), await r.json(), r.url)
console.log((await Promise.all(["/x", "/y"].map((path) => fetch("http://a.example" + path)))).map(({ status }) => status))`,
      seen,
    ),
  ).toBe("200 true yes { path: '/end' } http://a.example/end\n[ 404, 404 ]\n[0]")
  expect(seen[0]).toEqual({ method: "POST", url: "http://a.example/end", authorization: "me", body: `{"a":1}` })
})

it("follows redirects, without credentials for another origin", async () => {
  const seen: Array<Seen> = []
  expect(
    await run(
      `const r = await fetch("http://a.example/moved", { method: "POST", body: "x", headers: { authorization: "me" } }); console.log(r.redirected, r.url)
await fetch("http://a.example/loop").catch((error) => console.log(error.message, "-", error.cause.message))
console.log((await fetch("http://a.example/moved", { redirect: "manual" })).status)`,
      seen,
    ),
  ).toBe("true http://b.example/end\nfetch failed - redirect count exceeded\n302\n[0]")
  expect(seen[1]).toEqual({ method: "GET", url: "http://b.example/end", authorization: null, body: "" })
})

it("refuses what the policy does not allow, and bodies that are too long", async () => {
  expect(
    await run(
      `await fetch("https://a.example/").catch((error) => console.log(error.name, error.message, /a\\.example/.test(error.cause.message)))`,
    ),
  )
    .toBe("TypeError fetch failed true\n[0]")
  expect(await run(`await fetch("http://a.example/large").catch((error) => console.log(error.cause.message))`))
    .toBe("the body has more than 33554432 bytes\n[0]")
})

it("bounds what requests hold together", async () => {
  expect(
    await run(
      `const send = (path) => fetch("http://a.example" + path, { method: "POST", body: new Uint8Array(16e6) })
for (let n = 0; n < 5; n++) await send("/x")
for (let n = 0; n < 4; n++) send("/slow")
await send("/slow").catch((error) => console.log(error.code))
await fetch("http://a.example/large").catch((error) => console.log(error.cause.message))
process.exit()`,
    ),
  ).toBe("ENOBUFS\nthe requests of the script hold too many bytes; send fewer at once\n[0]")
  expect(
    await run(
      `await fetch("http://a.example/x", { headers: { a: "x".repeat(3e5) } }).catch((error) => console.log(error.cause.message))`,
    ),
  ).toBe("the URL and the headers have more than 262144 characters\n[0]")
})

it("a request can be aborted, and timers run meanwhile", async () => {
  expect(
    await run(`const abort = new AbortController(); setTimeout(() => { console.log("timer"); abort.abort() }, 5)
await fetch("http://a.example/slow", { signal: abort.signal }).catch((error) => console.log(error.name)); process.exit()`),
  ).toBe("timer\nAbortError\n[0]")
})
