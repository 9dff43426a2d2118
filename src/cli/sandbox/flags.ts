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
  about: `${about}; repeatable`,
})

/** The flags of `sluice sandbox`, in the order of the help. */
export const sandboxFlags: Readonly<Record<string, FlagSpec>> = {
  "program": list("NAME=FILE", "Provide a WASI program (.wasm file of this machine) as the command NAME"),
  "isolate": {
    kind: "switch",
    metavar: "",
    about: "Run WASI programs in workers, so that --timeout and Ctrl-C also end those in a busy loop",
  },
  "mount": list(
    "DIR[:MODE][=PATH]",
    "Mount a folder of this machine at PATH (default: its own path). MODE: rw (default), ro (read-only), overlay (changes stay in memory and are discarded)",
  ),
  "env": list("K=V", "Set an environment variable of the script"),
  "cwd": value("DIR", "Working directory in the sandbox. Default: the first mount, else /home/user"),
  "timeout": value("D", "Kill everything after this time, as in 500ms, 5s or 2m. Default: none"),
  "limit": list(
    "NAME=N",
    "Limits, comma-separated: memory=512M (of a WASI program), disk=1G and files=1000 (in memory), output=64M, processes=64, descriptors=256, pipes=64",
  ),
  "network": list(
    "ORIGIN",
    "Allow WASI programs to fetch from this origin, such as https://example.org. Default: none",
  ),
}
