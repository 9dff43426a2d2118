import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, posix } from "node:path"
import { pause } from "./eventually.ts"

/** A directory of the test's own, gone with its scope. */
export interface Workshop {
  readonly directory: string
  readonly path: (name: string) => string
  readonly write: (name: string, content: string | Uint8Array, mode?: number) => string
  readonly read: (name: string) => string
  readonly exists: (name: string) => boolean
  /** The size of a file, 0 while it is not there. */
  readonly size: (name: string) => number
  readonly makeDirectory: (name: string) => string
}

const make = (): Workshop => {
  // On Windows, a folder that its programs of POSIX (windows/posixPrograms.ts) know by the same name.
  const temporary = process.env["SLUICE_POSIX_TMP"]
  const directory = temporary === undefined
    ? realpathSync(mkdtempSync(join(tmpdir(), "sluice-")))
    : mkdtempSync(`${temporary}/sluice-`).replaceAll("\\", "/")
  const path = (name: string): string => (temporary === undefined ? join : posix.join)(directory, name)
  return {
    directory,
    path,
    write: (name, content, mode = 0o644) => {
      mkdirSync(dirname(path(name)), { recursive: true })
      writeFileSync(path(name), content)
      chmodSync(path(name), mode)
      return path(name)
    },
    read: (name) => existsSync(path(name)) ? readFileSync(path(name), "utf8") : "",
    exists: (name) => existsSync(path(name)),
    size: (name) => statSync(path(name), { throwIfNoEntry: false })?.size ?? 0,
    makeDirectory: (name) => {
      mkdirSync(path(name), { recursive: true })
      return path(name)
    },
  }
}

export const workshop: Effect.Effect<Workshop, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(make),
  // A process that is being ended may still write into it. Deno knows no `maxRetries`.
  ({ directory }) =>
    Effect.try(() => rmSync(directory, { recursive: true, force: true })).pipe(
      Effect.tapError(() => pause(50)),
      Effect.retry({ times: 200 }),
      Effect.orDie,
    ),
)
