/** An egress proxy, servers that it may lead to, and clients that send it any bytes. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { connect, createServer, type Server, type Socket } from "node:net"
import { type EgressDecision, EgressProxy } from "../../src/egress/mod.ts"
import { Journal, type JournalService } from "../../src/journal/JournalService.ts"

/** A proxy that runs. */
export interface RunningProxy {
  readonly path: string
  readonly decisions: ReadonlyArray<EgressDecision>
  readonly stop: () => Promise<void>
}

/** Starts a proxy with one socket, whose decisions are collected. */
export const startProxy = async (
  options: Omit<EgressProxy.EgressProxyOptions, "onDecision">,
  journal?: JournalService,
): Promise<RunningProxy> => {
  const decisions: Array<EgressDecision> = []
  const scope = Effect.runSync(Scope.make())
  const make = Effect.gen(function* () {
    const onDecision = (decision: EgressDecision) => Effect.sync(() => void decisions.push(decision))
    const proxy = yield* EgressProxy.make({ ...options, onDecision })
    return yield* proxy.listen("command-1")
  })
  const context = journal === undefined ? Context.empty() : Context.make(Journal, journal)
  const path = await Effect.runPromise(make.pipe(Scope.provide(scope), Effect.provideContext(context)))
  return { path, decisions, stop: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/** A client that reads all that it gets, unless it does not read. */
export interface Client {
  readonly socket: Socket
  readonly send: (bytes: string | Uint8Array) => Promise<void>
  /** What came so far, as ISO 8859-1. */
  readonly text: () => string
  /** Waits until this many bytes have come, or the other side has ended. */
  readonly received: (bytes: number) => Promise<string>
  /** Waits for the end; what came until then. */
  readonly ended: Promise<string>
}

/** Connects to a Unix socket, or to a port of this machine. */
export const openClient = async (at: string | number, reads = true): Promise<Client> => {
  const socket = typeof at === "string"
    ? connect({ path: at, allowHalfOpen: true })
    : connect({ port: at, host: "127.0.0.1", allowHalfOpen: true })
  const pieces: Array<Buffer> = []
  const text = (): string => Buffer.concat(pieces).toString("latin1")
  const waiting: Array<() => void> = []
  let isOver = false
  const wake = (): void => waiting.forEach((check) => check())
  const ended = new Promise<string>((resolve) => {
    const over = (): void => {
      isOver = true
      wake()
      resolve(text())
    }
    socket.on("end", over)
    socket.on("close", over)
  })
  socket.on("error", () => {})
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject))
  if (reads) {
    socket.on("data", (piece) => {
      pieces.push(Buffer.from(piece))
      wake()
    })
  } else socket.pause()
  return {
    socket,
    text,
    ended,
    received: (bytes) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (isOver || text().length >= bytes) resolve(text())
        }
        waiting.push(check)
        check()
      }),
    send: (bytes) =>
      new Promise((resolve) => {
        const done = (): void => {
          socket.off("close", done)
          resolve()
        }
        socket.once("close", done)
        socket.write(bytes, done)
      }),
  }
}

/** Sends bytes, ends, and waits for all that comes back. */
export const exchange = async (at: string | number, bytes: string | Uint8Array): Promise<string> => {
  const client = await openClient(at)
  await client.send(bytes)
  client.socket.end()
  const text = await client.ended
  client.socket.destroy()
  return text
}

/** A server on a free port of this machine. */
export interface TestServer {
  readonly port: number
  readonly sockets: ReadonlySet<Socket>
  readonly stop: () => Promise<void>
}

/** Serves each connection by a function. */
export const startServer = async (serve: (socket: Socket) => void, host = "127.0.0.1"): Promise<TestServer> => {
  const sockets = new Set<Socket>()
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => {})
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  return {
    port: address.port,
    sockets,
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

/** A server that sends back what it gets, after "hello ", and ends when the other side does. */
export const startEcho = (): Promise<TestServer> =>
  startServer((socket) => {
    socket.write("hello ")
    socket.on("data", (piece) => void socket.write(piece))
    socket.on("end", () => socket.end())
  })

/** A request of SOCKS5 without authentication, to a name. */
export const socksTo = (name: string, port: number, command = 1): Uint8Array =>
  Uint8Array.from([
    ...[5, 1, 0],
    ...[5, command, 0, 3, name.length],
    ...Buffer.from(name, "latin1"),
    ...[port >> 8, port & 255],
  ])
