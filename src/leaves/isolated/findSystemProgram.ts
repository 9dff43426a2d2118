/** Finds a program in the folders of the system, not by PATH: commands may write to folders of PATH. */
import type { Host } from "../../host/Host.ts"

/** The path of a program that may be run; `undefined` without one. */
export const findSystemProgram = (host: Host, name: string): string | undefined =>
  ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"].map((folder) => `${folder}/${name}`)
    .find((path) => host.fileKind(path) === "executable" && host.mayRun(path))
