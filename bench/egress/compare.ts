/**
 * Compares the network of isolated commands with that of npm `@anthropic-ai/sandbox-runtime`: the same script behind both, which
 * asks for a server in ways that its rules do not mean. Prints a table.
 *
 * `npx deno run -A bench/egress/compare.ts`. The rules name `localhost`, with the port of one server of three.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import process from "node:process"
import { connect as connectTls } from "node:tls"
import { fileURLToPath } from "node:url"
import { Shell, ShellExec } from "../../mod.ts"
import { IsolatedShell } from "../../src/leaves/isolated/mod.ts"

const module = (path: string): string => fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url))
const node = module("node/bin/node")
const directory = mkdtempSync("/tmp/sluice-compare-")

/** Answers whatever comes, and tells it. */
const serve = async (
  seen: (text: string) => void,
  respond: (socket: Socket) => void,
): Promise<number> => {
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.on("data", (piece) => {
      seen(piece.toString("latin1"))
      respond(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

let received = ""
const respond = (socket: Socket): void => {
  socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
}
const note = (text: string): void => void (received += text)
const port = await serve(note, respond)
const otherPort = await serve(note, respond)

/** Attempts: a command, and how the server sees that it succeeded. */
/** Sends bytes to the proxy as they are, but for its password. */
const raw = (text: string): string =>
  `$NODE -e 'const u = new URL("http://" + process.env.PROXY)
const auth = u.username === "" ? "" : "Proxy-Authorization: Basic " + btoa(decodeURIComponent(u.username) + ":" + decodeURIComponent(u.password)) + "\\r\\n"
const s = require("net").connect(u.port, u.hostname, () => s.write(process.argv[1].replaceAll("~", "\\r\\n").replaceAll("AUTH", auth)))
s.on("data", (piece) => { if (process.argv[2]) { s.write(Buffer.from(process.argv[2], "base64")); process.argv[2] = "" } })
s.on("error", () => {}); setTimeout(() => process.exit(), 700)' ${text}`

/** The ClientHello of a TLS client for a name. */
const helloFor = (servername: string): Promise<string> =>
  new Promise((resolve) => {
    const server = createServer((socket) => {
      socket.on("error", () => {})
      socket.once("data", (piece) => {
        resolve(Buffer.from(piece).toString("base64"))
        socket.destroy()
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (typeof address === "object" && address !== null) {
        connectTls({ port: address.port, host: "127.0.0.1", servername }).on(
          "error",
          () => {},
        )
      }
    })
  })
const [otherHello, ownHello] = [
  await helloFor("b.example"),
  await helloFor("localhost"),
]

const attempts: ReadonlyArray<
  readonly [name: string, script: string, reached: RegExp]
> = [
  ["the allowed name", `curl -s http://localhost:${port}/plain`, /\/plain/],
  [
    "… in capitals, with a dot at its end",
    `curl -s http://LOCALHOST.:${port}/dotted`,
    /\/dotted/,
  ],
  [
    "… on a port that is not named",
    `curl -s http://localhost:${otherPort}/otherport`,
    /\/otherport/,
  ],
  [
    "its address, which is not named",
    `curl -s http://127.0.0.1:${port}/address`,
    /\/address/,
  ],
  [
    "… as a number",
    `curl -s --path-as-is -x http://$PROXY http://2130706433:${port}/number`,
    /\/number/,
  ],
  [
    "… in IPv6",
    `curl -s -x http://$PROXY 'http://[::ffff:127.0.0.1]:${port}/mapped'`,
    /\/mapped/,
  ],
  [
    "an exact request (control)",
    raw(`'GET http://localhost:${port}/exact HTTP/1.1~AUTHHost: localhost~~'`),
    /\/exact/,
  ],
  [
    "another Host in the request than in the URL",
    raw(`'GET http://localhost:${port}/host HTTP/1.1~AUTHHost: b.example~~'`),
    /\/host[^]*b\.example/,
  ],
  [
    "Content-Length and Transfer-Encoding at once",
    raw(
      `'POST http://localhost:${port}/both HTTP/1.1~AUTHHost: localhost~Content-Length: 39~Transfer-Encoding: chunked~~0~~GET /smuggled HTTP/1.1~Host: b~~'`,
    ),
    /\/both/,
  ],
  [
    "a tunnel with TLS for its name (control)",
    raw(`'CONNECT localhost:${port} HTTP/1.1~AUTHHost: x~~' ${ownHello}`),
    /localhost/,
  ],
  [
    "a tunnel with TLS for another name (SNI)",
    raw(`'CONNECT localhost:${port} HTTP/1.1~AUTHHost: x~~' ${otherHello}`),
    /b\.example/,
  ],
]

const mark = (index: number): string => `/end-of-${index}-`
const script = (proxy: string): string =>
  `export PROXY=${proxy}; NODE=${node}; unset NO_PROXY no_proxy
${
    attempts.map(([, each], index) =>
      `( ${each} ) >/dev/null 2>&1
curl -s -x http://$PROXY http://localhost:${port}${mark(index)} >/dev/null`
    ).join("\n")
  }\n`

const outcomes = (text: string): ReadonlyArray<string> => {
  let rest = text
  return attempts.map(([, , reached], index) => {
    const at = rest.indexOf(mark(index))
    const [part, next] = at < 0 ? ["", rest] : [rest.slice(0, at), rest.slice(at + mark(index).length)]
    rest = next
    return at < 0 ? "no answer" : reached.test(part) ? "reaches" : "refused"
  })
}

const ours = await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
  const privateHosts = [`localhost:${port}`]
  const shell = yield* IsolatedShell.make({
    readable: [node],
    network: { allow: [], privateHosts },
  })
  received = ""
  yield* Effect.provideService(
    Shell.run(
      ShellExec.shell(script("127.0.0.1:61080"), { timeout: "60 seconds" }),
    ),
    Shell,
    Shell.of(shell),
  )
  return outcomes(received)
})))

const settings = `${directory}/settings.json`
writeFileSync(
  settings,
  JSON.stringify({
    network: { allowedDomains: ["localhost"], deniedDomains: [] },
    filesystem: { denyRead: [], allowWrite: [directory], denyWrite: [] },
  }),
)
received = ""
const theirs = await new Promise<ReadonlyArray<string>>((resolve) => {
  const srt = module("@anthropic-ai/sandbox-runtime/dist/cli.js")
  // Its proxy asks for a password, which is in the variable.
  const own = script("$(echo $HTTP_PROXY | sed 's#^http://##; s#/$##')")
  const child = spawn(node, [srt, "--settings", settings, "-c", own], {
    cwd: directory,
    stdio: ["ignore", "inherit", "inherit"],
  })
  child.on("close", () => resolve(outcomes(received)))
})
console.log(
  "| a command asks for | Sluice | sandbox-runtime |\n| --- | --- | --- |",
)
for (const [index, [name]] of attempts.entries()) {
  console.log(`| ${name} | ${ours[index]} | ${theirs[index]} |`)
}
rmSync(directory, { recursive: true, force: true })
process.exit()
