/**
 * Table of the flags of `sluice sandbox`.
 *
 * @module
 */
import type { FlagSpec } from "../flags.ts"

const value = (metavar: string, about: string): FlagSpec => ({ kind: "value", metavar, about })
const list = (metavar: string, about: string): FlagSpec => ({
  kind: "list",
  metavar,
  about: `${about}; may be repeated`,
})

/** The flags of `sluice sandbox`, in the order that the help shows them. */
export const sandboxFlags: Readonly<Record<string, FlagSpec>> = {
  "program": list("NAME=FILE", "A WASI program (.wasm) of this computer, which scripts call NAME"),
  "isolate": {
    kind: "switch",
    metavar: "",
    about: "Run WASI programs in workers: --timeout and Ctrl-C then end also those that only compute",
  },
  "mount": list(
    "DIR[:MODE][=PATH]",
    "A folder of this computer, seen at PATH (default: where it is here). MODE: rw (default), ro (nothing in it can be changed), overlay (changes stay in memory and are thrown away)",
  ),
  "env": list("K=V", "Set a variable of the script's environment"),
  "cwd": value("DIR", "Folder of the sandbox to run in. Default: the first that is mounted, else /home/user"),
  "timeout": value("D", "Longest run, such as 500ms, 5s, 2m; then everything is killed. Default: none"),
  "limit": list(
    "NAME=N",
    "memory=512M (of a WASI program), disk=1G and files=1000 (in memory), output=64M, processes=64, descriptors=256, pipes=64, joined by ,",
  ),
  "network": list(
    "ORIGIN",
    "Let WASI programs that can fetch ask this origin, such as https://example.org. Default: none",
  ),
}
