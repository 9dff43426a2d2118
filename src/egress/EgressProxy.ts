/**
 * Serves HTTP and SOCKS proxies on Unix sockets, which connect commands in a sandbox to the servers that rules allow.
 *
 * Each socket takes HTTP (CONNECT, and requests by absolute URL) and SOCKS5. The proxy looks up names itself and connects to
 * the addresses that it has checked, so a later DNS answer changes nothing. TLS is not decrypted.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as NodeFs from "node:fs"
import type * as NodeNet from "node:net"
import type * as NodeOs from "node:os"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { callbackLater } from "../base/waits.ts"
import { attemptOptions } from "../base/attemptOptions.ts"
import { type DurationInput, millisOf } from "../base/duration.ts"
import { errorMessage } from "../base/errorMessage.ts"
import { nodeBuiltins } from "../base/nodeBuiltins.ts"
import { OptionError, refuseUnknownOptions, requireCount } from "../base/OptionError.ts"
import { requireBuiltins } from "../base/requireBuiltins.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal } from "../journal/JournalService.ts"
import { draftDecision, type EgressDecision } from "./EgressDecision.ts"
import { answers, EgressRefusal } from "./EgressRefusal.ts"
import type { EgressContext } from "./EgressRoutes.ts"
import { compileRules, type EgressRules } from "./EgressRules.ts"
import { answerAndClose, serveHttp } from "./httpProxy.ts"
import { serveSocks, socksVersion } from "./socksProxy.ts"
import { SocketStream } from "../net/SocketStream.ts"

/** Options of a proxy. */
export interface EgressProxyOptions extends EgressRules {
  /**
   * Receives each decision with the id of the command, in addition to the journal of the context. The connection waits
   * for it, and is not made if it fails. Default: none.
   */
  readonly onDecision?:
    | ((decision: EgressDecision, commandId: string) => Effect.Effect<void, JournalError>)
    | undefined
  /** Looks up the addresses of a name. Default: as the system does. */
  readonly resolve?: ((host: string) => Promise<ReadonlyArray<string>>) | undefined
  /** Maximum number of concurrent connections of one socket; others get status 503. Default: 256. */
  readonly maxConnections?: number | undefined
  /**
   * Maximum number of different names that are looked up for one socket, because with `*` in a rule a command chooses
   * them. Default: 1,000.
   */
  readonly maxNames?: number | undefined
  /** Maximum bytes of the head of a request, and of a response. Default: 65,536. */
  readonly maxHeadBytes?: number | undefined
  /** Maximum time until a request has arrived. Default: 30 s. */
  readonly headTimeout?: DurationInput | undefined
  /** Maximum time to resolve a name, and then to connect to a server. Default: 30 s. */
  readonly connectTimeout?: DurationInput | undefined
  /** Time without a byte in either direction after which a connection is closed. Default: 10 minutes. */
  readonly idleTimeout?: DurationInput | undefined
  /** The parent of the private folder with the sockets, which only this user can enter. Default: `/tmp`. */
  readonly folder?: string | undefined
}

const optionNames: Readonly<Record<keyof EgressProxyOptions, true>> = {
  allow: true,
  privateHosts: true,
  onDecision: true,
  resolve: true,
  maxConnections: true,
  maxNames: true,
  maxHeadBytes: true,
  headTimeout: true,
  connectTimeout: true,
  idleTimeout: true,
  folder: true,
}

/** A proxy. */
export interface EgressProxyService {
  /**
   * Opens a Unix socket until the scope closes, and succeeds with its path. Its decisions have the correlation id: that of the
   * command which gets the socket. Closing the scope closes its connections.
   */
  readonly listen: (correlationId: string) => Effect.Effect<string, OptionError, Scope.Scope>
}

/** Maximum number of connections above the limit that get an answer; more are closed without one. */
const maxRefusals = 32

/** Maximum bytes of the path of a Unix socket on Linux, without its last NUL; 103 on macOS. */
const maxPathBytes = 103

interface Modules {
  readonly net: typeof NodeNet
  readonly fs: typeof NodeFs
  readonly os: typeof NodeOs
}

const modules = (): Modules => {
  const process = requireBuiltins("network", "sockets")
  return {
    net: process.getBuiltinModule("node:net"),
    fs: process.getBuiltinModule("node:fs"),
    os: process.getBuiltinModule("node:os"),
  }
}

const serve = (context: EgressContext, client: SocketStream): Effect.Effect<void, EgressRefusal, Scope.Scope> =>
  Effect.gen(function* () {
    const first = yield* Effect.timeoutOrElse(Effect.promise(() => client.read()), {
      duration: context.headTimeoutMillis,
      orElse: () => Effect.undefined,
    })
    if (first === undefined) return
    client.unread(first)
    yield* first[0] === socksVersion ? serveSocks(context, client) : serveHttp(context, client)
  })

const listenAt = (
  { net }: Modules,
  path: string,
  maxConnections: number,
  context: EgressContext,
): Effect.Effect<void, OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const services = yield* Effect.context<never>()
    const connections = yield* Scope.make()
    let count = 0
    const accept = (socket: NodeNet.Socket): void => {
      if (count >= maxConnections + maxRefusals) return void socket.destroy()
      const client = new SocketStream(socket)
      const serving = count < maxConnections
        ? serve(context, client)
        : answerAndClose(client, answers.Overloaded.status, `more than ${maxConnections} connections`)
      count += 1
      const served = Effect.scoped(Effect.ignore(serving)).pipe(Effect.ensuring(Effect.sync(() => {
        count -= 1
        client.destroy()
      })))
      Effect.runForkWith(services)(Effect.forkIn(served, connections))
    }
    yield* Effect.acquireRelease(
      callbackLater<NodeNet.Server, OptionError>((resume) => {
        const server = net.createServer({ allowHalfOpen: true, noDelay: true }, accept)
        let isListening = false
        server.on("error", ({ message }) => {
          if (!isListening) {
            return resume(Effect.fail(new OptionError("folder", `network: cannot listen on ${path} (${message})`)))
          }
          // That of one connection, such as too many open files: the proxy goes on.
          Effect.runForkWith(services)(
            Effect.logWarning(`network: a connection to ${path} was not accepted: ${message}`),
          )
        })
        server.listen(path, () => {
          isListening = true
          resume(Effect.succeed(server))
        })
      }),
      (server) =>
        callbackLater<void>((resume) => {
          server.close(() => resume(Effect.void))
          // Ends what would keep it open.
          Effect.runForkWith(services)(Scope.close(connections, Exit.void))
        }),
    )
  })

/**
 * Makes a proxy for the lifetime of the scope. Each decision is an entry of the journal of the context, if it has one
 * (branch `egress`): before it is written no connection is made. Fails with an `OptionError` for an invalid option.
 *
 * @example
 * ```ts
 * import { EgressProxy } from "@sluice/shell/egress"
 * import { Effect } from "effect"
 *
 * const error = await Effect.runPromise(
 *   EgressProxy.make({ allow: ["https://registry.example"] }).pipe(Effect.scoped, Effect.flip),
 * )
 * console.log(error.option === "allow" && error.message.includes(`write "registry.example"`)) // true
 * ```
 */
export const make = (options: EgressProxyOptions): Effect.Effect<EgressProxyService, OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const settings = yield* attemptOptions(() => {
      refuseUnknownOptions("network", options, optionNames)
      return {
        rules: compileRules(options),
        maxConnections: requireCount("network", "maxConnections", options.maxConnections ?? 256, { min: 1 }),
        maxNames: requireCount("network", "maxNames", options.maxNames ?? 1_000, { min: 0 }),
        maxHeadBytes: requireCount("network", "maxHeadBytes", options.maxHeadBytes ?? 65_536, { min: 1_024 }),
        headTimeoutMillis: millisOf("headTimeout", options.headTimeout ?? "30 seconds"),
        connectTimeoutMillis: millisOf("connectTimeout", options.connectTimeout ?? "30 seconds"),
        idleTimeoutMillis: millisOf("idleTimeout", options.idleTimeout ?? "10 minutes"),
        modules: modules(),
      }
    })
    const { maxConnections, modules: { fs, net, os }, ...shared } = settings
    const lookup = nodeBuiltins()?.getBuiltinModule("node:dns/promises").lookup
    const resolve = options.resolve ?? (async (host) => {
      const found = await lookup?.(host, { all: true }) ?? []
      return found.map(({ address }) => address)
    })
    const journal = Option.getOrUndefined(yield* Effect.serviceOption(Journal))
    const report = (correlationId: string) => (decision: EgressDecision): Effect.Effect<void, EgressRefusal> =>
      Effect.gen(function* () {
        if (journal !== undefined) yield* journal.append([draftDecision(decision, correlationId)])
        if (options.onDecision !== undefined) yield* options.onDecision(decision, correlationId)
      }).pipe(
        Effect.catchTag(
          "JournalError",
          ({ message }) => Effect.fail(new EgressRefusal("JournalFailed", `the journal failed: ${message}`)),
        ),
      )
    const parent = options.folder ?? (os.platform() === "win32" ? os.tmpdir() : "/tmp")
    const folder = yield* Effect.acquireRelease(
      Effect.try({
        // Created with mode 0700.
        try: () => fs.mkdtempSync(`${parent}/sluice-`),
        catch: (error) => new OptionError("folder", `network: a folder for sockets: ${errorMessage(error)}`),
      }),
      (path) => Effect.sync(() => fs.rmSync(path, { recursive: true, force: true })),
    )
    let opened = 0
    return {
      listen: (correlationId) =>
        Effect.gen(function* () {
          const path = `${folder}/${(opened += 1).toString(36)}`
          if (new TextEncoder().encode(path).length > maxPathBytes) {
            const what = `the path of a socket has at most ${maxPathBytes} bytes, this one has more: ${path}`
            return yield* Effect.fail(new OptionError("folder", `network: folder: ${what}`))
          }
          const context = { ...shared, net, resolve, names: new Set<string>(), report: report(correlationId) }
          yield* listenAt(settings.modules, path, maxConnections, context)
          return path
        }),
    }
  })
