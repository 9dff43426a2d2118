/** Rules of programs that load code as a format: openssl(1), engine(3); pandoc(1) "Custom readers and writers". */
import { type Launcher, refused } from "./Launcher.ts"
import { plainUnless } from "./launcherOptions.ts"

/** An engine is a library: an option, a command, a form of keys, a store. Without a command it may read commands. */
const noEngine = plainUnless({ words: /engine|pkcs11:|^--?(?:provider|config|extfile|CA\.pl)/i })

export const openssl: Launcher = (words) => words.length === 0 ? refused("without a command") : noEngine(words)

/** `pandoc`. Readers and writers in Lua are named where a format is. */
export const pandoc: Launcher = plainUnless({
  letters: "FLd",
  long: ["filter", "lua-filter", "pdf-engine", "defaults", "data-dir"],
  words: /\.lua|^(?:lua|server)$/,
})
