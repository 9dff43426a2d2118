/** Runs the contract of file systems, and what Windows adds to it. Arguments: parts of titles; those alone are run. */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { LocalFileSystem } from "@sluice/shell/files"
import { filesContract } from "../../../support/filesContract.ts"
import { lockedFiles } from "./lockedFiles.ts"
import { runSuites } from "./runSuites.ts"

await runSuites(() => {
  const layer = () => LocalFileSystem.layer({ rootPath: mkdtempSync(join(tmpdir(), "sluice-")) })
  // Each file is looked at by its path dozens of times, and a look takes Wine half a millisecond. Wine finds no canonical
  // path of more than 260 characters; Windows does.
  filesContract("LocalFileSystem on Windows", layer, {
    names: "windows",
    manyFiles: 30,
    maxNameBytes: 180,
    because: {
      names: "Windows takes some names for devices, streams or other files",
      manyFiles: "a look at a path takes Wine half a millisecond, so the large folder has 30",
      maxNameBytes: "Wine finds no path of more than 260 characters",
    },
  })
  lockedFiles()
}, process.argv.slice(2))
process.exit()
