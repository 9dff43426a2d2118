/** What random scripts showed to differ from GNU sed 4.9, with its output. */
import { expect, it } from "vitest"
import { Sandbox } from "../../../src/sandbox/mod.ts"

const recorded: ReadonlyArray<readonly [script: string, stdout: string]> = [
  ["printf 'a\\nb\\n' | sed 's/a/x/;n;tq;s/$/-no/;:q'", "x\nb-no\n"],
  ["printf 'a\\nb\\n' | sed 's/a/x/;N;tq;s/$/-no/;:q'", "x\nb-no\n"],
  ["printf 'a\\nb\\n' | sed 's/a/x/;n;Tq;s/$/-no/;:q'", "x\nb\n"],
  ["printf 'a\\nb\\n' | sed 's/a/x/;N;Tq;s/$/-no/;:q'", "x\nb\n"],
  ["printf 'a\\nb\\nc\\n' | sed 'N;s/a/x/;D;tq;s/$/-no/;:q'", "c\n"],
  ["printf 'ab\\ncd\\n' | sed -n '$!N;s/^a/x/;tp;:d;P;D;:p;p;bd'", "xb\ncd\nxb\ncd\n"],
  ["printf 'a\\nb' | sed G", "a\n\nb\n\n"],
  ["printf 'a\\nb' | sed x", "\na\n"],
  ["printf 'a\\nb' | sed g", "\n\n"],
  ["printf 'a\\nb' | sed 'h;x'", "a\nb"],
  ["printf 'a\\nb' | sed -n 'H;${x;p}'", "\na\nb"],
  ["printf 'a\\nb' | sed -n P", "a\nb"],
  ["printf 'a\\nb' | sed 2q", "a\nb\n"],
  ["printf 'a\\nb' | sed -n 'p;2Q'", "a\nb"],
  ["printf 'a\\nb' | sed -n 'w o'; cat o", "a\nb"],
  ["printf 'a\\nb' | sed -n 's/b/x/w o\ns/x/y/w o'; cat o", "x\ny"],
  ["printf 'a\\nb' | sed 'w /dev/stdout'", "a\na\nbb"],
  ["printf 'r1\\nr2' >r; printf 'a\\nb\\nc' | sed 'R r'", "a\nr1\nb\nr2c"],
  ["printf ab >f; printf cd >g; sed -i p f g; cat f; echo; cat g", "ab\nab\ncd\ncd"],
  ["printf 'a\\nb\\na\\nb\\nb\\n' | sed '/a/,+1{s/$/-in/;1n}'", "a-in\nb\na-in\nb\nb\n"],
  ["printf 'a\\nb\\nb\\nb\\na\\nb\\n' | sed '/a/,+1{s/$/-in/;1{n;n}}'", "a-in\nb\nb\nb-in\na-in\nb-in\n"],
  ["printf 'a\\nb\\na\\nb\\nb\\n' | sed '/a/,~2{s/$/-in/;1n}'", "a-in\nb\na-in\nb\nb\n"],
  ["printf 'a\\nb\\na\\nb\\nb\\n' | sed '/a/,2{s/$/-in/;1n}'", "a-in\nb\na\nb\nb\n"],
  ["seq 9 | sed '2,~2s/$/-in/'", "1\n2-in\n3-in\n4-in\n5\n6\n7\n8\n9\n"],
  ["seq 9 | sed '3~4,~3s/$/-in/'", "1\n2\n3-in\n4-in\n5-in\n6-in\n7-in\n8-in\n9-in\n"],
  ["printf 'a\\0b' | sed -z '=' | tr '\\0' @", "1@a@2@b"],
  ["printf 'a\\0b' | sed -z l | tr '\\0' @", "a$@a@b$@b"],
  ["printf 'a\\0b' | sed -z 'i ins' | tr '\\0' @", "ins@a@ins@b"],
  ["printf 'a\\0b' | sed -z 'c ins' | tr '\\0' @", "ins@ins@"],
  ["printf 'a\\0b' | sed -z 'a ins' | tr '\\0' @", "a@ins\nb@ins\n"],
  ["printf 'a\\nb\\n' >f; printf 'c\\nd\\n' >g; sed -s x f g", "\na\n\nc\n"],
  ["printf 'a\\nb\\n' >f; printf 'c\\nd\\n' >g; sed -s '2N;=' f g", "1\na\nb\n1\nc\nd\n"],
  [
    "printf '1\\n2\\n3\\n' >r; printf 'a\\nb\\n' >f; printf 'c\\nd\\n' >g; sed -s 'R r' f g",
    "a\n1\nb\n2\nc\n1\nd\n2\n",
  ],
  ["printf 'a\\nb\\n' | sed 'N;s/./-/Mg'", "-\n-\n"],
  ["printf 'a\\nb\\n' | sed 'N;s/[^x]/-/Mg'", "-\n-\n"],
  ["printf 'a\\n' | sed '/a/s//x/I' 2>/dev/null; echo $?", "1\n"],
  ["printf 'a\\n' | sed '/a/{//Ip}' 2>/dev/null; echo $?", "1\n"],
  ["printf 'a\\nb\\n' | sed 'a app\n2Q'", "a\napp\n"],
]

it.each(recorded)("%s", async (script, stdout) => {
  await using sandbox = await Sandbox.open({ env: { LC_ALL: "C" } })
  expect((await sandbox.run(script, { check: false })).stdout).toBe(stdout)
})
