import { expect, it } from "vitest"
import { type StdinUse, stdinUse } from "../../src/script/stdinUse.ts"

it("recognizes filters without files and commands told to read as readers of stdin", () => {
  const cases: Readonly<Record<StdinUse, ReadonlyArray<string>>> = {
    reads: [
      "tail -n +2",
      "cut -d , -f 2",
      "sort -t , -k 2",
      "tee file",
      "sh",
      "cat",
      "grep x",
      "sort -r",
      "head -n 5",
      "tr a b",
      "git apply",
      "git -C d -c a=b mktree",
      "git update-index --index-info",
      "git hash-object --stdin",
      "tool -",
      "/bin/wc -l",
    ],
    ignores: [
      "wc -l file",
      "grep x file",
      "git log file",
      "git -C apply log column",
      "cat a b",
      "awk 1 file",
      "sed -n p file",
      "mkdir -p d",
    ],
    unknown: ["node script.js", "python3 -c x", "sh -c x"],
  }
  for (const [use, lines] of Object.entries(cases)) {
    for (const line of lines) {
      const [name = "", ...args] = line.split(" ")
      expect([line, stdinUse(name, args, (path) => ["file", "a", "b"].includes(path))]).toEqual([line, use])
    }
  }
})
