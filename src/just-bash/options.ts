/**
 * Refuses by name the options of just-bash that the sandbox lacks; an option that turns off a missing feature is
 * accepted.
 */
import { OptionError } from "../base/OptionError.ts"

const missing: ReadonlyArray<readonly [names: RegExp, instead: string]> = [
  [/^args$/, "the script is not one command; write its arguments into it"],
  [/^(fs|overlayRoot)$/, "write as `fs` an InMemoryFs, OverlayFs or ReadWriteFs, and no `files`"],
  [
    /^(python|javascript)$/,
    "write a custom command, or give `jsExec` or CPython for WASI to `Sandbox.open`, as docs/sandbox-tools.md shows",
  ],
  [/^(fetch|maxRe|timeoutMs|dangerous|denyP|allowedUrl)/, "write URLs; `network` of `Sandbox.open` has rules"],
  [/^(sleep|processInfo)$/, "`Sandbox.open({ seed })` has a virtual clock and process ids that are repeatable"],
  [/^(logger|trace)$/, "log around `exec`, or use the spans of Effect"],
  [/^(defenseInDepth|coverage)$/, "leave it out; scripts are never JavaScript here"],
  [/^(encoding|std\w+Kind)$/, "texts are UTF-8; `Sandbox.open` and its extensions also take and return bytes"],
  [/^(max|executionLimit)/, "write other `executionLimits`; `maxExecutionTimeMs` bounds all of a script"],
]

export const refuseOtherOptions = (where: string, others: object): void => {
  for (const [name, value] of Object.entries(others)) {
    const [, instead] = missing.find(([names]) => names.test(name)) ?? []
    if (value === undefined || (value === false && instead !== undefined && name !== "denyPrivateRanges")) continue
    throw new OptionError(name, `${where}: ${name} ${instead ? `of just-bash is refused: ${instead}` : "is unknown"}`)
  }
}
