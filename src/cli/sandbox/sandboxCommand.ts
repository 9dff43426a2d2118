/** Describes `sluice sandbox`: its help and its flags. */
import type { CommandSpec } from "../CommandSpec.ts"
import { combinedFlag, type FlagTable, listFlag, switchFlag, valueFlag } from "../FlagSpec.ts"
import { parseNonEmpty, parsePositiveDuration, parseVariables } from "../parseValues.ts"
import {
  type Mount,
  parseMount,
  parseOrigin,
  parseProgram,
  parseSandboxLimits,
  type ProgramFile,
  type SandboxLimits,
} from "./parseValues.ts"

/** The decoded flags of `sluice sandbox`. */
export interface SandboxFlags {
  readonly program: ReadonlyArray<ProgramFile>
  /** Whether WASI programs run in workers. */
  readonly isolate: boolean
  readonly mount: ReadonlyArray<Mount>
  readonly env: Readonly<Record<string, string>> | undefined
  readonly cwd: string | undefined
  /** Time in milliseconds. */
  readonly timeout: number | undefined
  readonly limit: SandboxLimits | undefined
  /** Origins that WASI programs may fetch from. */
  readonly network: ReadonlyArray<string>
}

/** The flags of `sluice sandbox`, in the order of the help. */
export const sandboxFlags: FlagTable<SandboxFlags> = {
  "program": listFlag(
    "NAME=FILE",
    "Provide a WASI program (.wasm file of this machine) as the command NAME; repeatable",
    parseProgram,
  ),
  "isolate": switchFlag("Run WASI programs in workers, so that --timeout and Ctrl-C also end those in a busy loop"),
  "mount": listFlag(
    "DIR[:MODE][=PATH]",
    "Mount a folder of this machine at PATH (default: its own path). MODE: rw (default), ro (read-only), overlay (changes stay in memory and are discarded); repeatable",
    parseMount,
  ),
  "env": combinedFlag("K=V", "Set an environment variable of the script; repeatable", parseVariables),
  "cwd": valueFlag("DIR", "Working directory in the sandbox. Default: the first mount, else /home/user", parseNonEmpty),
  "timeout": valueFlag(
    "D",
    "Kill everything after this time, as in 500ms, 5s or 2m. Default: none",
    parsePositiveDuration,
  ),
  "limit": combinedFlag(
    "NAME=N",
    "Limits, comma-separated: memory=512M (of a WASI program), disk=1G and files=1000 (in memory), output=64M, processes=64, descriptors=256, pipes=64; repeatable",
    parseSandboxLimits,
  ),
  "network": listFlag(
    "ORIGIN",
    "Allow WASI programs to fetch from this origin, such as https://example.org; repeatable. Default: none",
    parseOrigin,
  ),
}

/** `sluice sandbox`. */
export const sandboxCommand: CommandSpec = {
  name: "sandbox",
  short: "Run a script in a sandbox",
  about: `Run a script in an in-process sandbox: a shell with pipes, signals and the usual utilities.

  The sandbox has no access to this machine except through --mount and --program; files are in memory and discarded at
  the end. The arguments after SCRIPT are its $1, $2, ….

  Exit status: that of the script; 128+n if signal n ended it; 124 timed out; 153 output limit exceeded; 125 any other
  failure of sluice itself, including a usage error. Ctrl-C is sent to the script; a second Ctrl-C kills everything.`,
  operand: { name: "SCRIPT", about: "The script and its arguments", min: 1, max: Infinity, isVerbatim: true },
  flags: sandboxFlags,
  examples: [
    ["sluice sandbox 'seq 100 | grep 7 | wc -l'", "Processes in memory"],
    ["sluice sandbox --mount .:ro 'grep -rn TODO src | sort | head'", "Files, read-only"],
    ["sluice sandbox --program jq=jq.wasm --timeout 5s 'jq .name' < package.json", "A WASI program"],
  ],
}
