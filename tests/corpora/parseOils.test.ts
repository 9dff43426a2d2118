import { expect, it } from "vitest"
import { parseOils } from "./parseOils.ts"

const text = `## compare_shells: bash dash

#### one line
echo a
## stdout: a

#### a block, a status, and what bash does instead
echo b
false
## STDOUT:
b
## END
## status: 1
## OK dash status: 2
## BUG bash STDOUT:
bash's
## END

#### JSON, and several shells
printf '\\n'
## stdout-json: "\\n"
## N-I dash/bash status: 127
`

it("reads scripts and the answers of bash", () => {
  expect(parseOils(text)).toEqual([
    { name: "one line", line: 3, script: "echo a\n\n", stdout: "a\n", status: 0 },
    {
      name: "a block, a status, and what bash does instead",
      line: 7,
      script: "echo b\nfalse\n\n",
      stdout: "bash's\n",
      status: 1,
    },
    { name: "JSON, and several shells", line: 19, script: "printf '\\n'\n\n", stdout: "\n", status: 127 },
  ])
})
