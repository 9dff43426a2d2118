/**
 * Makes the leaf of the Secrets branch that reads files which only their owner can read: a folder with a file for each
 * secret, or one file of JSON or of `NAME=value` lines.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { attemptOptions } from "../base/attemptOptions.ts"
import type { NodeBuiltins } from "../base/nodeBuiltins.ts"
import { OptionError, refuseUnknownOptions, requireBooleans } from "../base/OptionError.ts"
import { requireBuiltins } from "../base/requireBuiltins.ts"
import { readErrorCode } from "../base/readErrorCode.ts"
import {
  fieldIn,
  fieldOf,
  makeSecrets,
  maxNames,
  maxValueBytes,
  notFound,
  parseFields,
  type StoreProblem,
} from "./makeSecrets.ts"
import { parseDotenv } from "./parseDotenv.ts"
import { Secrets, type SecretsService } from "./Secrets.ts"

/** Options of a leaf: `folder` or `file`. */
export interface FileSecretsOptions {
  /** A folder whose files are secrets, without their last newline. No link leads out of it. */
  readonly folder?: string | undefined
  /** A file: `.json` with an object of texts, or lines `NAME=value`. At most 1 MiB. */
  readonly file?: string | undefined
  /** Whether other users may read the files, as in `/run/secrets` of a container. Default: `false`, as ssh does. */
  readonly allowShared?: boolean | undefined
}

const known: Readonly<Record<keyof FileSecretsOptions, true>> = { folder: true, file: true, allowShared: true }

class StoreRefusal extends Error {
  readonly problem: StoreProblem

  constructor(...problem: StoreProblem) {
    super(problem[1])
    this.problem = problem
  }
}

const problemOf = (error: unknown): StoreProblem => {
  if (error instanceof StoreRefusal) return error.problem
  const code = readErrorCode(error) ?? (error instanceof Error ? error.name : "")
  if (/^(ENOENT|ENOTDIR)$/.test(code)) return notFound
  return [/^(EACCES|EPERM|NotCapable)$/.test(code) ? "Denied" : "Failed", `its file cannot be read (${code})`]
}

/** Reads a file below `root`, or anywhere without one. Fails with a `StoreRefusal` or an error of the system. */
const readPrivate = async (
  process: NodeBuiltins,
  path: string,
  { allowShared, maxBytes, root }: { readonly allowShared: boolean; readonly maxBytes: number; readonly root?: string },
): Promise<string> => {
  const { constants, promises: fs } = process.getBuiltinModule("node:fs")
  const { sep } = process.getBuiltinModule("node:path")
  const refuse = (...problem: StoreProblem): never => {
    throw new StoreRefusal(...problem)
  }
  const real = await fs.realpath(path)
  if (root !== undefined && !real.startsWith(root.endsWith(sep) ? root : root + sep)) {
    refuse("NotAllowed", "a link leads out of the folder")
  }
  const before = await fs.lstat(real)
  // Opening a pipe would wait for its writer.
  if (!before.isFile()) refuse(before.isDirectory() ? "NotFound" : "NotAllowed", "this is not a file")
  const handle = await fs.open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const { dev, ino, mode, size, uid } = await handle.stat()
    if (dev !== before.dev || ino !== before.ino) refuse("NotAllowed", "its file was replaced while it was opened")
    if (process.platform !== "win32") {
      const own = process.getuid?.()
      if (own !== undefined && uid !== own && uid !== 0) refuse("NotAllowed", `its file belongs to user ${uid}`)
      if (!allowShared && (mode & 0o077) !== 0) {
        refuse(
          "NotAllowed",
          `other users can access its file (mode ${(mode & 0o777).toString(8)}): chmod 600, or allowShared`,
        )
      }
    }
    if (size > maxBytes) refuse("TooLarge", `its file is longer than ${maxBytes} bytes`)
    // The file may grow meanwhile, and a file of the kernel has no size.
    const buffer = new Uint8Array(maxBytes + 1)
    let length = 0
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length)
      length += bytesRead
      if (length > maxBytes) refuse("TooLarge", `its file is longer than ${maxBytes} bytes`)
      if (bytesRead === 0) return new TextDecoder().decode(buffer.subarray(0, length))
    }
  } finally {
    await handle.close()
  }
}

const attempt = <A>(read: () => Promise<A>): Effect.Effect<A, StoreProblem> =>
  Effect.tryPromise({ try: read, catch: problemOf })

const serve = (process: NodeBuiltins, options: FileSecretsOptions): SecretsService => {
  const { allowShared = false, file, folder = "" } = options
  const { promises: fs } = process.getBuiltinModule("node:fs")
  const { join } = process.getBuiltinModule("node:path")
  if (file !== undefined) {
    const entries = Effect.flatMap(
      attempt(() => readPrivate(process, file, { allowShared, maxBytes: 1_048_576 })),
      (text) => file.endsWith(".json") ? parseFields(text) : Effect.succeed(parseDotenv(text)),
    )
    return makeSecrets({
      get: ({ field, name }) =>
        entries.pipe(
          Effect.flatMap((all) => fieldOf(all, name)),
          Effect.flatMap((value) => fieldIn(value, field)),
        ),
      list: Effect.map(entries, Object.keys),
    })
  }
  const real = attempt(() => fs.realpath(folder))
  return makeSecrets({
    get: ({ field, name }) =>
      Effect.gen(function* () {
        const root = yield* real
        const limits = { allowShared, maxBytes: maxValueBytes + 2, root }
        const text = yield* attempt(() => readPrivate(process, join(root, name), limits))
        return yield* fieldIn(text.replace(/\r?\n$/, ""), field)
      }),
    list: Effect.flatMap(real, (root) =>
      attempt(async () => {
        const names: Array<string> = []
        for await (const entry of await fs.opendir(root)) {
          if (!entry.name.startsWith(".") && !entry.isDirectory()) names.push(entry.name)
          if (names.length > maxNames) break
        }
        return names
      })),
  })
}

/** Makes the service. Fails with an `OptionError` without a folder or a file. A runtime without files is a defect. */
export const make = (options: FileSecretsOptions): Effect.Effect<SecretsService, OptionError> =>
  attemptOptions(() => {
    refuseUnknownOptions("FileSecrets", options, known)
    requireBooleans("FileSecrets", { allowShared: options.allowShared })
    if ((options.folder ?? "") === "" && (options.file ?? "") === "") {
      throw new OptionError("folder", "FileSecrets: name a folder, or a file")
    }
    return serve(requireBuiltins("FileSecrets", "file system"), options)
  })

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import { FileSecrets, Secrets } from "@sluice/shell/secrets"
 * import { Effect, Redacted } from "effect"
 * import { mkdtempSync, writeFileSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const folder = mkdtempSync(join(tmpdir(), "sluice-"))
 * writeFileSync(join(folder, "github"), "hunter2\n", { mode: 0o600 })
 * const token = await Effect.runPromise(Effect.provide(Secrets.get("github"), FileSecrets.layer({ folder })))
 * console.log(Redacted.value(token)) // hunter2
 * ```
 */
export const layer = (options: FileSecretsOptions): Layer.Layer<Secrets, OptionError> =>
  Layer.effect(Secrets, make(options))
