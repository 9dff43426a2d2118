/** Finds whether the process is out of file descriptors, which SQLite reports as a file that it cannot open. */
import { nodeBuiltins } from "../../../base/nodeBuiltins.ts"
import { readErrorCode } from "../../../base/readErrorCode.ts"

/** The database, its log, the index of the log, and one for the folder or a source of random bytes. */
const neededDescriptors = 4

/**
 * The code, `EMFILE` or `ENFILE`, if a connection to the file would not find the descriptors that it needs. It opens the
 * folder of the file: Deno permits no other path, and the file itself must not be opened (`file.ts`).
 */
export const descriptorShortage = (path: string): string | undefined => {
  const process = nodeBuiltins()
  if (process === undefined) return undefined
  const fs = process.getBuiltinModule("node:fs")
  const folder = process.getBuiltinModule("node:path").dirname(path)
  const opened: Array<number> = []
  try {
    while (opened.length < neededDescriptors) opened.push(fs.openSync(folder, "r"))
    return undefined
  } catch (error) {
    const code = readErrorCode(error)
    return code === "EMFILE" || code === "ENFILE" ? code : undefined
  } finally {
    for (const descriptor of opened) fs.closeSync(descriptor)
  }
}
