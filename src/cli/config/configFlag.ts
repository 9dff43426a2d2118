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
      "Settings in TOML or JSON: each key is a flag of this list; flags count before it. Default: SLUICE_CONFIG, else none",
  },
}
