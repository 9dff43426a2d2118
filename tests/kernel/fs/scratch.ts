import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A folder of the host for one test, gone after it. */
export const hostScratch = <A>(use: (folder: string) => A): A => {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "sluice-fs-")))
  const folder = join(parent, "root")
  try {
    mkdirSync(folder)
    return use(folder)
  } finally {
    rmSync(parent, { recursive: true, force: true })
  }
}
