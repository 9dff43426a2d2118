/**
 * Defines the `--config` flag, which names a configuration file.
 *
 * @module
 */
import { type FlagTable, valueFlag } from "../FlagSpec.ts"
import { parseText } from "../parseValues.ts"

/** The decoded `--config` flag. */
export interface ConfigFlags {
  readonly config: string | undefined
}

/** The `--config` flag. */
export const configFlag: FlagTable<ConfigFlags> = {
  config: valueFlag(
    "FILE",
    "Configuration file (TOML or JSON) whose keys are these flags; flags override it. Default: SLUICE_CONFIG, else none",
    parseText,
  ),
}
