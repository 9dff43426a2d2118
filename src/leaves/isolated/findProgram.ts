/**
 * Finds a program of the system, in the folders of the system and not by PATH: commands may write to what PATH names.
 */
import type { Host } from "../../host/Host.ts"

/** The path of a program that may be run; `undefined` without one. */
export const findProgram = (host: Host, name: string): string | undefined =>
  ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"].map((folder) => `${folder}/${name}`)
    .find((path) => host.fileKind(path) === "executable" && host.mayRun(path))
