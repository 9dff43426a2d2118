/** Reads a setting that may be missing. */
import * as Config from "effect/Config"
import * as Option from "effect/Option"

export const optionalConfig = <A>(config: Config.Config<A>): Config.Config<A | undefined> =>
  Config.map(Config.option(config), Option.getOrUndefined)
