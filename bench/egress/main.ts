/**
 * Measures the egress proxy beside a direct connection: bytes per second of one download, milliseconds of one connection and
 * request, memory and time of many connections.
 *
 * The server is a process of its own; the proxy and its clients share one, but for curl. Each row is the median of its rounds.
 *
 *     npx deno run -A bench/egress/main.ts
 *     npx bun bench/egress/main.ts
 *     npx node bench/egress/main.ts
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { connect, type Socket } from "node:net"
import process from "node:process"
import { LocalShell, Shell, ShellExec } from "../../mod.ts"
import { IsolatedShell } from "../../src/leaves/isolated/mod.ts"
import type { ShellService } from "../../src/shell/ShellService.ts"
import { EgressProxy } from "../../src/egress/mod.ts"

const rounds = 3
const bytes = 200_000_000

/** Serves a text, or as many zeros as the path says; a line for the port. */
const server = `
const zeros = Buffer.alloc(65536)
const server = require("node:net").createServer((socket) => {
  socket.on("error", () => {})
  socket.once("data", (head) => {
    let left = Number(/^GET [^ ]*\\/(\\d+) /.exec(head.toString())[1])
    socket.write("HTTP/1.1 200 OK\\r\\nContent-Length: " + left + "\\r\\nConnection: close\\r\\n\\r\\n")
    const fill = () => {
      while (left > 0) {
        const part = zeros.subarray(0, Math.min(left, 65536))
        left -= part.length
        if (!socket.write(part)) return
      }
      socket.end()
    }
    socket.on("drain", fill)
    fill()
  })
})
server.listen(0, "127.0.0.1", () => console.log(server.address().port))
process.stdin.on("end", () => process.exit()).resume()
`

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN

const child = spawn("node", ["-e", server], {
  stdio: ["pipe", "pipe", "inherit"],
})
const port = await new Promise<number>((resolve) => child.stdout.once("data", (line) => resolve(Number(line))))

const scope = Effect.runSync(Scope.make())
const path = await Effect.runPromise(Scope.provide(
  Effect.flatMap(
    EgressProxy.make({
      allow: [],
      privateHosts: [`a.example:${port}`],
      maxConnections: 1_000,
      resolve: () => Promise.resolve(["127.0.0.1"]),
    }),
    ({ listen }) => listen("bench"),
  ),
  scope,
))

type Way = "direct" | "CONNECT" | "HTTP" | "SOCKS5"

/** Opens a connection by which the server can be asked; the bytes with which its answer begins are those of the proxy. */
const open = (way: Way): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = way === "direct" ? connect({ port, host: "127.0.0.1", noDelay: true }) : connect(path)
    socket.once("error", reject)
    if (way === "direct" || way === "HTTP") {
      socket.once("connect", () => resolve(socket))
      return
    }
    const request = way === "CONNECT" ? Buffer.from(`CONNECT a.example:${port} HTTP/1.1\r\n\r\n`) : Buffer.from([
      5,
      1,
      0,
      5,
      1,
      0,
      3,
      9,
      ...Buffer.from("a.example"),
      port >> 8,
      port & 255,
    ])
    const length = way === "CONNECT" ? 39 : 12
    let got = 0
    const take = (piece: Uint8Array): void => {
      got += piece.length
      if (got < length) return
      socket.off("data", take)
      resolve(socket)
    }
    socket.on("data", take)
    socket.write(request)
  })

/** Asks for bytes, and waits for all of them. */
const fetchBytes = async (way: Way, count: number): Promise<void> => {
  const socket = await open(way)
  const target = way === "HTTP" ? `http://a.example:${port}/${count}` : `/${count}`
  await new Promise<void>((resolve, reject) => {
    let got = 0
    socket.on("data", (piece: Uint8Array) => void (got += piece.length))
    socket.on(
      "end",
      () => got >= count ? resolve() : reject(new Error(`${way}: ${got} bytes`)),
    )
    socket.write(`GET ${target} HTTP/1.1\r\nHost: a.example\r\n\r\n`)
  })
  socket.destroy()
}

const timed = async (run: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await run()
  return performance.now() - start
}

for (const way of ["direct", "CONNECT", "HTTP", "SOCKS5"] as const) {
  const speeds: Array<number> = []
  const times: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    speeds.push(bytes / 1_000 / await timed(() => fetchBytes(way, bytes)))
    const count = 200
    const all = async () => {
      for (let index = 0; index < count; index++) await fetchBytes(way, 10)
    }
    times.push(await timed(all) / count)
  }
  console.log(
    `${way}: ${Math.round(median(speeds))} MB/s, ${median(times).toFixed(2)} ms a connection with its request`,
  )
}

/** A download of curl, and one of a few bytes: in the open, and behind walls. */
const byCurl = async (
  name: string,
  shell: ShellService,
  at: string,
): Promise<void> => {
  const run = (count: number) =>
    timed(async () => {
      const exec = ShellExec.make("curl", [
        "-sS",
        "-o",
        "/dev/null",
        `http://${at}/${count}`,
      ])
      const { exitCode, stderr } = await Effect.runPromise(
        Effect.provideService(Shell.run(exec), Shell, Shell.of(shell)),
      )
      if (exitCode !== 0) throw new Error(stderr)
    })
  const small: Array<number> = []
  const large: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    small.push(await run(10))
    large.push(await run(bytes))
  }
  const speed = bytes / 1_000 / (median(large) - median(small))
  console.log(
    `${name}: ${Math.round(speed)} MB/s, ${median(small).toFixed(1)} ms a command with one request`,
  )
}
await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
  const local = yield* LocalShell.make()
  yield* Effect.promise(() => byCurl("curl in the open", local, `127.0.0.1:${port}`))
  const resolve = () => Promise.resolve(["127.0.0.1"])
  const network = { allow: [], privateHosts: [`a.example:${port}`], resolve }
  const walled = yield* IsolatedShell.make({ network })
  yield* Effect.promise(() => byCurl("curl behind walls", walled, `a.example:${port}`))
})))

const memory = (): number => process.memoryUsage().rss / 1_000_000
const before = memory()
let sockets: ReadonlyArray<Socket> = []
const opening = await timed(async () => {
  // In waves: the queue of a listening socket has 511 places.
  for (let wave = 0; wave < 5; wave++) {
    sockets = [
      ...sockets,
      ...await Promise.all(Array.from({ length: 200 }, () => open("CONNECT"))),
    ]
  }
})
console.log(
  `1,000 tunnels at once: ${Math.round(opening)} ms, ${(memory() - before).toFixed(0)} MB for them and their clients`,
)
for (const socket of sockets) {
  socket.pause()
  socket.write(`GET /${bytes} HTTP/1.1\r\n\r\n`)
}
await new Promise((resolve) => setTimeout(resolve, 3_000))
console.log(
  `… that ask for ${bytes / 1_000_000} MB each and never read: ${(memory() - before).toFixed(0)} MB`,
)
for (const socket of sockets) socket.destroy()
await Effect.runPromise(Scope.close(scope, Exit.void))
child.stdin.end()
process.exit()
