/** Loads the `yq` utility when it is first run, so that a script without it does not load it. */
import type { Program } from "../System.ts"

/** `yq [eval | eval-all] [OPTION]... [EXPRESSION] [FILE]...`: reads and changes YAML, JSON, TOML, CSV. Source: mikefarah's yq 4. */
export const yq: Program = async (system) => (await import("./yq/yq.ts")).yq(system)
