/** Makes the program of an extension, which loads its implementation at the first call. */
import type { Extension } from "../process/Extension.ts"
import { Process } from "../process/Process.ts"
import type { Program } from "../System.ts"

export const extensionProgram = (name: string, extension: Extension): Program => async (system) => {
  if (!(system instanceof Process)) throw new TypeError("an extension runs only in a process of the kernel")
  const { runExtension } = await import("./runExtension.ts")
  return await runExtension(name, extension, system)
}
