/** A folder with the programs of a list, programs that are in none, and a place for scripts to run in. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Folders } from "./traced.ts"

export interface World extends Disposable {
  readonly path: string
  /** The search path: nothing else is found. */
  readonly bin: string
  /** Scripts run here, each in a folder of its own. */
  readonly place: string
  /** For programs that are allowed to leave a mark. */
  readonly marks: string
  readonly folders: Folders
}

/** In no list. They are there, so that nothing is harmless only because there is no such program. */
export const forbidden: ReadonlyArray<string> = "evil id touch sh bash dash python3 perl x y f b ev make".split(" ")

const which = (name: string): string | undefined =>
  ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin"].map((place) => join(place, name)).find((path) =>
    existsSync(path)
  )

/**
 * The programs of the list are the system's, as far as it has them, with what they do to their arguments; others do nothing.
 * Those of {@link forbidden} are real ones as well where they have to be: what starts is seen from outside.
 */
export const makeWorld = (listed: ReadonlyArray<string>): World => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "sluice-world-")))
  const [bin, place, marks] = [join(path, "bin"), join(path, "place"), join(path, "marks")]
  for (const folder of [bin, place, marks]) mkdirSync(folder)
  const program = (name: string, text: string): void => {
    writeFileSync(join(bin, name), text)
    chmodSync(join(bin, name), 0o755)
  }
  for (const name of new Set(listed)) {
    const real = which(name)
    if (real === undefined) program(name, "#!/bin/sh\n:\n")
    else symlinkSync(real, join(bin, name))
  }
  for (const name of forbidden) {
    if (!listed.includes(name)) program(name, `#!/bin/sh\n: >${join(marks, name)}\n`)
  }
  const folders: Folders = [["read", path, path], ["write", place, place], ["write", marks, marks]]
  const remove = (): void => rmSync(path, { recursive: true, force: true })
  return { path, bin, place, marks, folders, [Symbol.dispose]: remove }
}
