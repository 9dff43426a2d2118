import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type NetworkDecision, type NetworkPolicy, Sandbox } from "../../../src/sandbox/mod.ts"
import { type HttpTestServer, startServer } from "../utilities/curl/server.ts"

let server: HttpTestServer
let other: HttpTestServer

beforeAll(async () => {
  server = await startServer()
  other = await startServer()
})

afterAll(async () => {
  await server.close()
  await other.close()
})

const token = "s3cret-token"

/** Runs scripts in a sandbox; `$U` and `$V` are the origins of two servers, `$N` one by a name. */
const run = (network: NetworkPolicy | undefined, script: string, options: Partial<Sandbox.SandboxOptions> = {}) =>
  Effect.gen(function* () {
    server.asked.length = other.asked.length = 0
    const port = new URL(server.origin).port
    const env = { U: server.origin, V: other.origin, N: `http://api.test:${port}` }
    const sandbox = yield* Sandbox.make({ env, timeout: "30 seconds", ...options, ...network && { network } })
    return yield* sandbox.run(script)
  }).pipe(Effect.scoped)

const atLoopback = () => Promise.resolve(["127.0.0.1"])
const named = (rule: object) => ({
  origin: `http://api.test:${new URL(server.origin).port}`,
  privateAddresses: true,
  ...rule,
})

it.live("refuses every request without a policy, and names the policy", () =>
  Effect.gen(function* () {
    const { exitCode, stderr } = yield* run(undefined, "curl -sS $U/a; wget -q -O - $U/a")
    expect(exitCode).toBe(4)
    expect(stderr).toContain("curl: (7) Failed to connect to 127.0.0.1 port")
    expect(stderr).toContain("network policy of the sandbox: nothing is allowed")
    expect(server.asked).toEqual([])
  }))

it.live("decides by origin, method and path, and reports each decision", () =>
  Effect.gen(function* () {
    const decisions: Array<NetworkDecision> = []
    const onDecision = (decision: NetworkDecision) => void decisions.push(decision)
    const rule = { origin: server.origin, methods: ["GET"], paths: ["/v1/*"] }
    const script =
      `for p in /v1/a /v2/b /v1/../v2/c /v1/..%2fv2/d /v1/%252e/e //v1/f '/v1/..;/g' /v1/..%3B/h /v1/%c0%ae%c0%ae/i /v1/%C3%A9
      do curl -s -o /dev/null "$U$p"; echo "$p $?"; done
      curl -s -X POST $U/v1/a; echo $?
      curl -s -H 'X-HTTP-Method-Override: DELETE' $U/v1/a; echo $?
      curl -s $V/v1/a; echo $?`
    const { stdout } = yield* run({ origins: [rule], onDecision }, script)
    expect(stdout).toBe(
      "/v1/a 0\n/v2/b 7\n/v1/../v2/c 7\n/v1/..%2fv2/d 7\n/v1/%252e/e 7\n//v1/f 7\n/v1/..;/g 7\n/v1/..%3B/h 7\n/v1/%c0%ae%c0%ae/i 7\n/v1/%C3%A9 0\n7\n7\n7\n",
    )
    expect(server.asked.map(({ path }) => path)).toEqual(["/v1/a", "/v1/%C3%A9"])
    expect(other.asked).toEqual([])
    expect(decisions).toHaveLength(13)
    expect(decisions[0]).toEqual({
      method: "GET",
      url: `${server.origin}/v1/a`,
      allowed: true,
      rule: server.origin,
      addresses: ["127.0.0.1"],
    })
    expect(decisions[1]).toMatchObject({ allowed: false, reason: "NotAllowed" })
    expect(decisions[1]?.message).toContain(`the path "/v2/b" is not allowed`)
  }))

it.live("sends nothing whose decision cannot be reported", () =>
  Effect.gen(function* () {
    const onDecision = () => Promise.reject(new Error("the disk is full"))
    const { exitCode, stderr } = yield* run({ origins: [server.origin], onDecision }, "curl -sS $U/a")
    expect(exitCode).toBe(7)
    expect(stderr).toContain("the decision could not be reported")
    expect(server.asked).toEqual([])
  }))

it.live.each(
  [
    ["127.0.0.1", {}, 7],
    ["10.0.0.7", {}, 7],
    ["::1", {}, 7],
    ["::ffff:127.0.0.1", {}, 7],
    ["169.254.169.254", { privateAddresses: true }, 7],
    ["fd00:ec2::254", { privateAddresses: true }, 7],
    ["FD00:0ec2:0:0:0:0:0:23", { privateAddresses: true }, 7],
    ["fd20:ce:0:0:0:0:0:254", { privateAddresses: true }, 7],
    ["127.0.0.1", { privateAddresses: true }, 0],
  ] as const,
)("decides about the address %s of a name with %o", ([address, rule, code]) =>
  Effect.gen(function* () {
    // One private address among public ones is enough.
    const resolve = () => Promise.resolve(code === 0 ? [address] : ["93.184.216.34", address])
    const decisions: Array<NetworkDecision> = []
    const onDecision = (decision: NetworkDecision) => void decisions.push(decision)
    const { exitCode, stderr } = yield* run(
      { origins: [{ ...named({}), privateAddresses: false, ...rule }], resolve, onDecision },
      "curl -sS $N/a; exit=$?; curl -v $N/a; wget -O - $N/a; exit $exit",
    )
    expect(exitCode).toBe(code)
    expect(decisions[0]?.addresses).toContain(address)
    if (code === 0) return
    expect(stderr).toContain("api.test has an address that is not on the public Internet")
    expect(stderr).not.toContain(address)
  }))

it.live("connects to the addresses that it decided on: the name is looked up once", () =>
  Effect.gen(function* () {
    let count = 0
    const resolve = () => Promise.resolve(count++ === 0 ? ["127.0.0.1"] : ["192.0.2.1"])
    const { exitCode } = yield* run({ origins: [named({})], resolve }, "curl -sS $N/a")
    expect({ exitCode, count }).toEqual({ exitCode: 0, count: 1 })
  }))

it.live("decides about each redirect anew", () =>
  Effect.gen(function* () {
    const decisions: Array<string> = []
    const onDecision = ({ allowed, url }: NetworkDecision) => void decisions.push(`${allowed} ${url}`)
    const script = `curl -sSL $U/to/302/http://169.254.169.254/latest; echo $?
      curl -sSL $U/to/302/$V/a; echo $?; wget -q -O - $U/to/302/$V/a; echo $?`
    const { stderr, stdout } = yield* run({ origins: [server.origin], onDecision }, script)
    expect(stdout).toBe("7\n7\n4\n")
    expect(stderr).toContain("http://169.254.169.254 is not allowed")
    expect(decisions).toContain("false http://169.254.169.254/latest")
    expect(other.asked).toEqual([])
  }))

it.live("adds headers that the sandbox never sees, for their origin alone", () =>
  Effect.gen(function* () {
    const rule = { origin: server.origin, headers: { authorization: Redacted.make(`Bearer ${token}`) } }
    const script = `curl -v -H 'Authorization: mine' $U/a; curl -vL $U/to/302/$V/a; curl -v $U/reset; wget -S -O - $U/b
      env; export -p; curl -s -o /dev/null -w '%{header_json}%{size_request}' $U/a`
    const { stderr, stdout } = yield* run({ origins: [rule, other.origin] }, script)
    const sent = server.asked.map(({ headers }) => headers.filter(([name]) => /^authorization$/i.test(name)))
    expect(sent.length).toBeGreaterThanOrEqual(5)
    for (const each of sent) expect(each.map(([, value]) => value)).toEqual([`Bearer ${token}`])
    expect(other.asked).toHaveLength(1)
    expect(JSON.stringify(other.asked)).not.toContain(token)
    expect(stdout + stderr).not.toContain(token)
    expect(stderr).toContain("> Authorization: mine")
  }))

it.live("sends an added header that is not ASCII as UTF-8 by fetch, too, and shows none in messages", () =>
  Effect.gen(function* () {
    const secret = `${token}–é`
    const seen: Array<string | null> = []
    const fetch = (request: Request) => {
      seen.push(request.headers.get("x-api-key"))
      return Promise.resolve(new Response("there"))
    }
    const rule = { origin: "http://api.test", headers: { "x-api-key": secret } }
    const script = "curl -sSv http://api.test/a; curl -sSv -X GET -d body http://api.test/b"
    const { stderr, stdout } = yield* run({ origins: [rule], fetch }, script)
    expect([...new Set(seen)]).toEqual([Buffer.from(secret).toString("latin1")])
    // Bun's Request takes a body with GET.
    if (seen.length === 1) expect(stderr).toContain("cannot send a GET request")
    expect(stdout + stderr).not.toContain(token)
  }))

it.live.each(
  [
    ["a header with a line end", "curl -sS -H $'X-A: b\\r\\nX-Injected: 1' $U/a", 43],
    ["a header with a letter that ends in the byte of a line end", "curl -sS -H 'X-A: bĊX-Injected: 1' $U/a", 0],
    ["an agent with a line end", "curl -sS -A $'a\\r\\nX-Injected: 1' $U/a", 43],
    ["a cookie with a line end", "curl -sS -b $'a=b\\r\\nX-Injected: 1' $U/a", 43],
    ["a method with a line end", "curl -sS -X $'GET / HTTP/1.1\\r\\nX-Injected: 1\\r\\n\\r\\nGET' $U/a", 43],
    ["a path with a line end", "curl -sS $U/$'a\\r\\nX-Injected: 1'", 3],
    ["another host", "curl -sS -H 'Host: internal' $U/a", 7],
    ["another length", "curl -sS -H 'Content-Length: 3' -d abcdef $U/a", 7],
    ["another coding", "curl -sS -H 'Transfer-Encoding: gzip' -d abc $U/a", 7],
    ["an upgrade", "curl -sS -H 'Connection: Upgrade' -H 'Upgrade: websocket' $U/a", 7],
    ["many headers", `yes 'X-A: b' | head -n 8000 > h; curl -sS -H @h -H @h -H @h $U/a`, 43],
    [
      "headers that curl does not hold",
      `yes 'X-A: b' | head -n 8000 > h; curl -sS $(yes -- -H@h | head -n 30) $U/a`,
      27,
    ],
    ["long headers", 'curl -sS -H "X-Long: $(printf %070000d 1)" $U/a', 43],
    ["a long run of spaces", `curl -sS -H "X-A: b$(printf %300000s)c" $U/a`, 43],
    ["more URLs than fit into memory", "curl -sS $U/[1-99999][1-99999]", 3],
    ["what configurations that read themselves name", `printf 'config=c\\nconfig=c\\n' > c; curl -K c $U/a`, 2],
    ["more data than is held", "head -c 20000000 /dev/zero > d; curl -sS --data-binary @d $U/a", 27],
    ["a URL that is too long", 'curl -sS "$U/$(printf %0100000d 1)"', 43],
    ["wget's headers with a line end", "wget -q -O - --header $'X-A: b\\r\\nX-Injected: 1' $U/a", 7],
  ] as const,
)("does not send %s", ([, script, code]) =>
  Effect.gen(function* () {
    const { exitCode } = yield* run({ origins: [server.origin] }, script)
    expect(exitCode).toBe(code)
    expect(server.asked.flatMap(({ headers }) => headers.map(([name]) => name))).not.toContain("X-Injected")
    expect(server.asked).toHaveLength(code === 0 ? 1 : 0)
  }))

it.live.each(["CONNECT", "TRACE", "track"])(
  "never sends %s, which may show added headers",
  (method) =>
    Effect.gen(function* () {
      const decisions: Array<NetworkDecision> = []
      const rule = { origin: server.origin, headers: { authorization: token } }
      const onDecision = (decision: NetworkDecision) => void decisions.push(decision)
      const { exitCode, stderr } = yield* run({ origins: [rule], onDecision }, `curl -sS -X ${method} $U/a`)
      expect(exitCode).toBe(7)
      expect(stderr).toContain(`the method ${method} is never allowed`)
      expect(server.asked).toEqual([])
      expect(decisions).toMatchObject([{ method, allowed: false, reason: "NotAllowed" }])
    }),
)

it.live.each(
  [
    ["X-Original-URL", "paths"],
    ["x-rewrite_url", "paths"],
    ["X-Forwarded-Prefix", "paths"],
    ["X-Override-URL", "paths"],
    ["X-Envoy-Original-Path", "paths"],
    ["X_HTTP_Method_Override", "methods"],
    ["X-Method", "methods"],
  ] as const,
)("does not send %s where a rule has %s", ([name, part]) =>
  Effect.gen(function* () {
    const rule = { origin: server.origin, ...part === "paths" ? { paths: ["/v1/*"] } : { methods: ["GET"] } }
    const script = `curl -sS -H '${name}: /admin' $U/v1/a; echo $?; curl -sS -H '${name}: /admin' $V/v1/a; echo $?`
    const { stderr, stdout } = yield* run({ origins: [rule, other.origin] }, script)
    expect(stdout).toBe("7\nGET /v1/a 0\n0\n")
    expect(stderr).toContain(`the header ${name} is not allowed for ${server.origin}, which has rules about ${part}`)
    expect(server.asked).toEqual([])
  }))

it.live("reads _ in the name of a header as -, as servers do", () =>
  Effect.gen(function* () {
    const rule = { origin: server.origin, headers: { "x-api-key": token } }
    const script = `curl -sS -H 'Transfer_Encoding: chunked' $U/a; echo $?; curl -sS -H 'X_Api_Key: mine' $U/a`
    const { stdout } = yield* run({ origins: [rule] }, script)
    expect(stdout).toBe("7\nGET /a 0\n")
    expect(server.asked.flatMap(({ headers }) => headers.filter(([name]) => /api/i.test(name)))).toEqual([
      ["x-api-key", token],
    ])
  }))

/** Waits until a condition holds. */
const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => holds() ? Effect.void : Effect.andThen(Effect.sleep("10 millis"), until(holds)))

it.live.each(
  [
    ["endless headers", "curl -sS $U/headers", 56],
    ["endless interim responses", "curl -sS $U/interim", 8],
    ["an endless response beyond -m", "curl -sS -m 0.3 -o /dev/null $U/endless", 28],
    ["an endless response beyond --max-filesize", "curl -sS --max-filesize 100000 -o /dev/null $U/endless", 63],
    ["an endless response into a full file system", "curl -sS -o big $U/endless", 23],
    [
      "an endless response that is not read on",
      "curl -sS $U/endless | head -c 10 > /dev/null; echo ${PIPESTATUS[0]} >&2",
      0,
    ],
    ["a server that never answers", "timeout 0.3 curl -sS $U/silent", 124],
    ["a signal", "curl -sS $U/silent & pid=$!; sleep 0.2; kill -INT $pid; wait $pid", 130],
    ["a server that stops", "curl -sS -m 0.3 $U/slow", 28],
    ["a loop of redirects", "curl -sSL $U/loop/0", 47],
    ["wget at a loop of redirects", "wget -q -O - $U/loop/0", 8],
    ["wget at a server that never answers", "wget -q -t 1 -T 0.3 -O - $U/silent", 4],
    ["wget at a server that stops", "wget -q -t 1 -T 0.3 -O x $U/slow", 4],
  ] as const,
)("ends at %s, and closes the connection", ([, script, code]) =>
  Effect.gen(function* () {
    const limits = { maxTotalFileBytes: 5_000_000 }
    const { exitCode, stderr } = yield* run({ origins: [server.origin] }, script, { limits })
    expect({ exitCode, stderr }).toMatchObject({ exitCode: code })
    if (script.includes("PIPESTATUS")) expect(stderr).toContain("141")
    yield* until(() => server.connections() === 0)
  }), 30_000)

it.live("ends requests when the run is over, or the sandbox is closed", () =>
  Effect.gen(function* () {
    const network = { origins: [server.origin] }
    const error = yield* Effect.flip(run(network, "curl -s $U/endless > /dev/null", { timeout: "300 millis" }))
    expect(error).toMatchObject({ reason: { _tag: "Timeout" } })
    yield* until(() => server.connections() === 0)
    const env = { U: server.origin }
    yield* Effect.scoped(Effect.gen(function* () {
      const sandbox = yield* Sandbox.make({ env, network })
      yield* Effect.forkChild(Effect.exit(sandbox.run("curl -s $U/silent")))
      yield* until(() => server.connections() === 1)
    }))
    yield* until(() => server.connections() === 0)
  }))

it.live("bounds requests at a time, and bodies", () =>
  Effect.gen(function* () {
    const network = { origins: [server.origin], maxRequests: 1, maxBodyBytes: 10_000 }
    const script = `curl -s $U/silent & sleep 0.2; curl -sS $U/a; echo $?; kill $!; wait
      curl -sS $U/a; curl -sS $U/long > /dev/null; echo $?; yes | curl -sS -T - $U/up; echo $?`
    const { stderr, stdout } = yield* run(network, script)
    expect(stdout).toBe("7\nGET /a 0\n63\n63\n")
    expect(stderr).toContain("more than 1 requests at a time")
    expect(stderr).toContain("the response is longer than 10000 bytes")
    expect(stderr).toContain("the body is longer than 10000 bytes")
  }))

it.live("sends by a fetch of the host, where there is one, with the same rules", () =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const fetch = async (request: Request): Promise<Response> => {
      asked.push(`${request.method} ${request.url} ${request.headers.get("authorization")} ${await request.text()}`)
      return request.url.endsWith("/away")
        ? new Response(null, { status: 302, headers: { location: "https://two.test/" } })
        : new Response("there\n", { headers: { "content-encoding": "gzip" } })
    }
    const rule = { origin: "https://*.test", headers: { authorization: "token" }, paths: ["/a", "/away"] }
    const script = `curl -sS --compressed -d x=1 https://one.test/a; curl -sSL https://one.test/away; echo $?
      curl -sS https://one.test/b; echo $?; wget -q -O - https://one.test/a`
    const { stderr, stdout } = yield* run({ origins: [rule], fetch }, script)
    expect(stdout).toBe("there\n7\n7\nthere\n")
    expect(stderr).toContain(`the path "/" is not allowed for https://two.test`)
    expect(asked).toEqual([
      "POST https://one.test/a token x=1",
      "GET https://one.test/away token ",
      "GET https://one.test/a token ",
    ])
  }))

it.live("has no /dev/tcp", () =>
  Effect.gen(function* () {
    const port = new URL(server.origin).port
    const before = server.accepted()
    const { exitCode, stderr } = yield* run({ origins: [server.origin] }, `exec 3<>/dev/tcp/127.0.0.1/${port}`)
    expect(exitCode).not.toBe(0)
    expect(stderr).toContain("No such file or directory")
    expect(server.accepted()).toBe(before)
  }))

it.effect.each(
  [
    [{ origins: ["example.org"] }, "network.origins"],
    [{ origins: ["https://example.org/path"] }, "network.origins"],
    [{ origins: ["https://user@example.org"] }, "network.origins"],
    [{ origins: ["https://a*.example.org"] }, "network.origins"],
    [{ origins: "https://example.org" }, "network.origins"],
    [{ origins: [{ origin: "https://example.org", method: "GET" }] }, "method"],
    [{ origins: [{ origin: "https://example.org", methods: "GET" }] }, "network.origins.methods"],
    [{ origins: [{ origin: "https://example.org", headers: { "a b": "x" } }] }, "network.origins.headers"],
    [{ origins: [{ origin: "https://example.org", headers: { a: "x\r\ny" } }] }, "network.origins.headers"],
    [{ origins: [], maxRequests: 0 }, "network.maxRequests"],
    [{ origins: [], maxHeaderBytes: 10 }, "network.maxHeaderBytes"],
  ] as const,
)("refuses the policy %j", ([network, option]) =>
  Effect.gen(function* () {
    const options: object = { network }
    const error = yield* Effect.flip(Sandbox.make(options))
    expect(error).toMatchObject({ _tag: "OptionError", option })
  }).pipe(Effect.scoped))

it.live("looks names up below a wildcard, never addresses", () =>
  Effect.gen(function* () {
    const port = new URL(server.origin).port
    const script = `curl -s http://a.b.test:${port}/x; echo $?; curl -s http://test:${port}/x; echo $?
      curl -s http://nottest:${port}/x; echo $?; curl -s $U/x; echo $?`
    const origins = [{ origin: `http://*.test:${port}`, privateAddresses: true }]
    const { stdout } = yield* run({ origins, resolve: atLoopback }, script)
    expect(stdout).toBe("GET /x 0\n0\n7\n7\n7\n")
  }))
