/** Makes the file calls of a leaf from a folder of a container. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { quote } from "../../base/quote.ts"
import { emptyBytes } from "../../base/bytes.ts"
import { temporaryName } from "../../files/temporaryName.ts"
import { BackendError, type BackendStat, type FileBackend, type FileWriter, type Names } from "../files/FileBackend.ts"
import { posixRules } from "../files/PathRules.ts"
import { ContainerFileReader } from "./ContainerFileReader.ts"
import { ContainerFileWriter } from "./ContainerFileWriter.ts"
import { parseListing, parseStat } from "./fileListing.ts"
import type { FileReply } from "./FileServer.ts"
import type { FileServers, TakenSlot } from "./FileServers.ts"
import type { FileCall } from "./fileServerScript.ts"

export interface ContainerFolder {
  /** The leaf, for its capabilities. */
  readonly leaf: string
  readonly rootPath: string
  readonly followSymlinks: boolean
  /** Whether a write waits until the disk has it. */
  readonly flush: boolean
}

const rules = posixRules(true)

/** Bytes that come with the reply which opens a file. */
const firstBytes = 65_536

const fail = (code: string): Effect.Effect<never, BackendError> => Effect.fail(new BackendError(code))

const octal = (permissions: number | undefined): string =>
  permissions === undefined ? "" : (permissions & 0o7777).toString(8)

export const containerBackend = (servers: FileServers, settings: ContainerFolder): FileBackend => {
  const { flush, followSymlinks, leaf, rootPath } = settings
  let known: string | undefined

  /** The canonical path of the root, without a final slash. */
  const root: Effect.Effect<string, BackendError> = Effect.suspend(() =>
    known !== undefined ? Effect.succeed(known) : servers.server.pipe(
      Effect.flatMap((server) => server.call({ name: "root", words: [rootPath] })),
      Effect.mapError((error) =>
        ["ENOENT", "ENOTDIR", "EACCES", "ELOOP"].includes(error.code)
          ? new BackendError(
            "EROOT",
            `rootPath ${quote(rootPath)} is not a folder of the container (${error.code})`,
          )
          : error
      ),
      Effect.map(({ text }) => known = text === "/" ? "" : text),
    )
  )

  const pathOf = (at: string, names: Names): string => names.length === 0 ? at : `${at}/${names.join("/")}`

  type Words = (pathOf: (names: Names) => string) => FileCall["words"]

  const callOf = (
    name: FileCall["name"],
    words: Words,
    exact = !followSymlinks,
  ): Effect.Effect<FileCall, BackendError> =>
    Effect.map(root, (at) => ({
      name,
      words: words((names) => pathOf(at, names)),
      root: at,
      links: followSymlinks,
      exact: exact || !followSymlinks,
    }))

  const ask = (name: FileCall["name"], words: Words, exact?: boolean): Effect.Effect<FileReply, BackendError> =>
    Effect.flatMap(callOf(name, words, exact), (call) => Effect.flatMap(servers.server, (server) => server.call(call)))

  /** Calls with the folder of a path and its last name; the root has none. */
  const onName = (
    name: FileCall["name"],
    names: Names,
    exact?: boolean,
  ): Effect.Effect<FileReply, BackendError> => {
    const last = names.at(-1)
    return last === undefined ? fail("EBUSY") : ask(name, (path) => [path(names.slice(0, -1)), last], exact)
  }

  /** Calls with a slot, the folder of a path and its last name. `end` undoes what the call began, unless `isOver`. */
  const onSlot = (
    name: FileCall["name"],
    names: Names,
    words: FileCall["words"],
    end: "close" | "discard",
    isOver: (reply: FileReply) => boolean = () => false,
  ): Effect.Effect<TakenSlot & { readonly reply: FileReply }, BackendError, Scope.Scope> =>
    Effect.gen(function* () {
      const last = names.at(-1)
      if (last === undefined) return yield* fail("EISDIR")
      const { server, slot } = yield* servers.slot
      const call = yield* callOf(name, (path) => [slot, path(names.slice(0, -1)), last, ...words])
      const undo = { name: end, words: [slot] }
      const reply = yield* Effect.acquireRelease(
        server.call(call, emptyBytes, undo),
        (reply) => isOver(reply) ? Effect.void : Effect.ignore(server.call(undo)),
        { interruptible: true },
      )
      return { server, slot, reply }
    })

  const writer = (
    kind: "new" | "over" | "must",
    names: Names,
    permissions: number | undefined,
  ): Effect.Effect<FileWriter, BackendError, Scope.Scope> =>
    Effect.gen(function* () {
      let isCommitted = false
      const words = [yield* temporaryName, octal(permissions), ...(kind === "new" ? [] : [kind === "must" ? 1 : 0])]
      const place = kind === "new" ? "create" : "replace"
      const { server, slot } = yield* onSlot(place, names, words, "discard", () => isCommitted)
      const file = new ContainerFileWriter(server, slot)
      const move = Effect.map(server.call({ name: "commit", words: [slot, kind, flush ? 1 : 0] }), () => {
        isCommitted = true
      })
      return { write: file.write, commit: Effect.uninterruptible(Effect.andThen(file.send, move)) }
    })

  return {
    root: rootPath.split("/").filter((name) => name !== ""),
    capabilities: { leaf, containment: "handles", caseSensitive: true },
    room: Effect.map(ask("room", () => []), ({ text }) => {
      const [blocks = 0, size = 0, files = 0] = text.split(" ").map(Number)
      return { bytes: blocks * size, files }
    }),
    checkName: rules.checkName,
    canonical: (names) =>
      Effect.flatMap(root, (at) =>
        Effect.map(
          ask("place", (path) => [path(names)]),
          ({ text }) => text.slice(at.length).split("/").filter((name) => name !== ""),
        )),
    stat: (names, follow) =>
      Effect.map(
        ask(
          "stat",
          (path) =>
            names.length === 0 ? [path([]), ".", 0] : [path(names.slice(0, -1)), names.at(-1) ?? "", follow ? 1 : 0],
        ),
        ({ text }): BackendStat => parseStat(text),
      ),
    list: (names, follow, exact) =>
      Effect.map(
        ask(
          "list",
          (path) => follow || names.length === 0 ? [path(names), ""] : [path(names.slice(0, -1)), names.at(-1) ?? ""],
          exact,
        ),
        ({ bytes }) => parseListing(bytes),
      ),
    open: (names, range = { offset: 0, length: Infinity }) =>
      Effect.gen(function* () {
        const count = Math.min(firstBytes, range.length)
        const isAll = range.length <= firstBytes
        const words = [range.offset, count, isAll ? 1 : 0]
        const { reply: { bytes, text }, server, slot } = yield* onSlot(
          "open",
          names,
          words,
          "close",
          ({ text }) => isClosedAfter(parseStat(text).size, range.offset, count, isAll),
        )
        const { size } = parseStat(text)
        return new ContainerFileReader(server, slot, size, {
          offset: range.offset,
          bytes: bytes.length > 0 ? bytes : emptyBytes,
          isEnd: bytes.length < count,
        })
      }),
    create: (names, permissions) => writer("new", names, permissions),
    replace: (names, mustExist, permissions) => writer(mustExist ? "must" : "over", names, permissions),
    append: (names, create, permissions) =>
      Effect.gen(function* () {
        const words = [create ? 1 : 0, octal(permissions)]
        const { server, slot } = yield* onSlot("append", names, words, "close")
        const file = new ContainerFileWriter(server, slot)
        return {
          write: file.write,
          commit: Effect.andThen(file.send, server.call({ name: "flush", words: [slot, flush ? 1 : 0] })),
        }
      }),
    makeDirectory: (names) => Effect.asVoid(onName("mkdir", names)),
    removeFile: (names, exact) => Effect.asVoid(onName("rm", names, exact)),
    removeDirectory: (names, exact) => Effect.asVoid(onName("rmdir", names, exact)),
    removeTree: (names) => Effect.map(onName("tree", names), ({ text }) => Number(text)),
  }
}

/** Whether the server has closed a file by itself, because all the requested bytes have arrived. */
const isClosedAfter = (size: number, offset: number, count: number, isAll: boolean): boolean =>
  size > 0 && (isAll || offset + count >= size)
