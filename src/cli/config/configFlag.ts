/**
 * Spec of the `--config` flag, which names a configuration file.
 *
 * @module
 */
import type { FlagSpec } from "../flags.ts"

/** The `--config` flag. */
export const configFlag: Readonly<Record<"config", FlagSpec>> = {
  "config": {
    kind: "value",
    metavar: "FILE",
    about:
      "Configuration file (TOML or JSON) whose keys are these flags; flags override it. Default: SLUICE_CONFIG, else none",
  },
}
