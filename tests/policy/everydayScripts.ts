/** The scripts of every day, and the lists of what they call. */
import { readFileSync } from "node:fs"

/** Scripts as people and models write them, with lines of dashes between. */
const scriptsOf = (name: string): ReadonlyArray<string> =>
  readFileSync(new URL(name, import.meta.url), "utf8").trimEnd().split("\n---\n").map((text) => text.trimEnd())

export const everyday: ReadonlyArray<string> = [...scriptsOf("everyday.txt"), ...scriptsOf("everyday-agents.txt")]

/** What they call, but for the functions and builtins among it. */
export const bounded: ReadonlyArray<string> = [
  ..."ls cat git grep head tail wc sort uniq xargs find sed awk ps df du tr echo printf pwd date mv cp rm mkdir".split(
    " ",
  ),
  ..."touch chmod ln readlink jq sleep seq curl wget test dirname mktemp stat diff comm paste column tee tar gzip"
    .split(" "),
  ..."zip unzip base64 cut bc shuf yes nohup timeout env uname kill rg lsof which file xxd sha256sum type".split(" "),
]
export const interpreters: ReadonlyArray<string> = "npm npx node python3 make docker bash eslint".split(" ")
