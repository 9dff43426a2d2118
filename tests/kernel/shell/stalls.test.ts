/** Runs scripts whose work on one huge text could hold the event loop for seconds: it has a bound, or others get turns. */
import { expect, it } from "vitest"
import { sh } from "./support.ts"

/** Doubles a text so many times. */
const doubled = (text: string, times: number): string => `x='${text}'; for i in {1..${times}}; do x=$x$x; done; `
const letters = doubled("aaaaaaaaaaaaaaaa", 21)
const many = doubled("aaaaaaaaaaaaaaaa", 18)

const longText = "expected a text of at most 16777216 characters"
const longParse = "expected a shorter command"
const longFormat = "the format is longer than 8192 characters"

it.each([
  ["an escaped text", doubled("\\x", 23) + `eval "echo \\$'$x'"`, longText],
  ["many escapes", doubled("\\x", 21) + `eval "echo \\$'$x'"`, longParse],
  ["a name", letters + `eval "$x"`, longText],
  ["the name of an assignment", letters + `eval "$x=1"`, longText],
  ["the name of a parameter", letters + `eval ": \\\${$x}"`, longText],
  ["a name that continues", doubled("a\\\n", 20) + `eval "$x"`, longParse],
  ["a sourced name", letters + `source /dev/stdin <<< "$x"`, longText],
  ["a trapped name", letters + `trap "$x" EXIT; exit 1`, longText],
  ["a word", doubled("aaaaaaaaaaaaaaaa", 20) + `eval "$x"`, longParse],
  ["a backquoted text", many + 'x=$x$x$x; eval "echo \\`$x\\`"', longParse],
  ["many backslashes in backquotes", doubled("\\\\", 20) + 'eval "echo \\`$x\\`"', longParse],
  ["dollar signs", doubled("$", 20) + `eval "$x"`, longParse],
  ["a format of conversions", doubled("%c", 22) + `printf "%($x)T" 0`, longFormat],
  ["a format of wide fields", doubled("%9999Y", 20) + `printf -v y "%($x)T" 0`, longFormat],
  ["a format of date", doubled("%c", 14) + "date +$x", longFormat],
  ["a time style", doubled("%c", 14) + "ls -l --time-style=+$x /", "the time style is longer than 8192 characters"],
  ["%b", doubled("\\a", 19) + `printf %b "$x"`, "%b: the argument has more than 262144 backslashes"],
  ["a format of find", doubled("%9999Tc", 11) + 'find / -printf "$x"', longFormat],
  ["a format of stat", doubled("%9999n", 11) + 'stat -c "$x" /', longFormat],
  ["a quoted word", many + `printf %q "$x"`, "longer than 1048576 characters"],
])("bounds the work of %s", async (_, script, message) => {
  const { exitCode, stderr } = await sh(script)
  expect(stderr).toContain(message)
  expect(stderr).not.toContain("internal error")
  expect(stderr.length).toBeLessThan(1_000)
  expect(exitCode).toBeGreaterThan(0)
})

const size = 16 * 2 ** 18

it.each([
  ["${x@u}", many + "y=${x@u}; echo ${#y} ${y:0:2}", `${size} Aa`],
  ["${x@U}", many + "y=${x@U}; echo ${#y} ${y: -2}", `${size} AA`],
  ["${x@L}", many + "y=${x@U}; y=${y@L}; echo ${#y} ${y: -2}", `${size} aa`],
  ["${x^^}", many + "y=${x^^}; echo ${#y} ${y: -2}", `${size} AA`],
  ["${x,,}", many + "y=${x^^}; y=${y,,}; echo ${#y} ${y: -2}", `${size} aa`],
  ["${x^^[a-z]}", doubled("a", 20) + "y=${x^^[a-z]}; echo ${#y} ${y: -2}", `${2 ** 20} AA`],
  ["${x^^} of pairs", doubled("😀é", 20) + "x=a$x; y=${x^^}; echo ${#y} ${y: -2}", `${2 ** 21 + 1} 😀É`],
  ["${x,,} of sigmas", doubled("Σ", 21) + "y=${x,,}; echo ${y: -2}; echo ${y//σ/}.", "σσ\n."],
  ["${x//a/b}", doubled("a", 20) + "y=${x//a/b}; echo ${#y} ${y: -2}", `${2 ** 20} bb`],
  ["${x#*b}", many + "y=${x#*b}; echo ${#y}", `${size}`],
  ["${x%%b*}", many + "y=${x%%b*}; echo ${#y}", `${size}`],
  ["${#x}", many + "echo ${#x}", `${size}`],
  ["${x:1}", many + "y=${x:1}; echo ${#y}", `${size - 1}`],
  ["${x@Q}", many + "y=${x@Q}; echo ${#y}", `${size + 2}`],
  ["${x@Q} of controls", doubled("\n😀\\", 16) + "y=${x@Q}; echo ${#y} ${y:0:9}", `${5 * 2 ** 16 + 3} $'\\n😀\\\\\\n`],
  ["${x@E}", doubled("\\a", 18) + "y=${x@E}; echo ${#y}", `${2 ** 18}`],
  ["${x@A}", many + "y=${x@A}; echo ${#y} ${y:0:4}", `${size + 4} x='a`],
  ["${x:1} of pairs", doubled("😀é", 20) + "y=${x:1}; echo ${#y} ${y: -2}", `${2 ** 21 - 1} 😀é`],
  ["declare -p", many + "declare -p x | wc -c", `${size + 16}`],
  ["declare -p of quotes", doubled("$\\`", 20) + "declare -p x | tail -c 8", '\\$\\\\\\`"'],
  [
    "declare -p of lines and pairs",
    doubled("a\n😀", 19) + "x=b$x; declare -p x | tail -c 9 ; declare -p x | wc -c",
    `a\\n😀'\n${7 * 2 ** 19 + 18}`,
  ],
  ["declare -p of an array", "a=({1..9999}); declare -p a | tail -c 30", '[9997]="9998" [9998]="9999")'],
  ["set", many + "set | grep ^x= | wc -c", `${size + 3}`],
  ["set of a tilde", many + "x=$x:\\~; set | grep ^x= | tail -c 4", ":~'"],
  ["${a[@]@K}", "a=({1..9999}); y=${a[@]@K}; echo ${y: -11}", '9998 "9999"'],
  ["<<< of pairs", doubled("😀", 20) + 'x=a$x; cat <<< "$x" | wc -c; tail -c 5 <<< "$x"', `${4 * 2 ** 20 + 2}\n😀`],
  ["echo -e", doubled("\\x41", 16) + "echo -e $x | wc -c", `${2 ** 16 + 1}`],
  ["[[ == ]]", many + "[[ $x == *b ]]; echo $?", "1"],
  ["[[ =~ ]]", many + "[[ $x =~ b$ ]]; echo $?", "1"],
  ["case", many + "case $x in *b) echo b ;; *) echo a ;; esac", "a"],
  ["read", many + 'read y <<< "$x"; echo ${#y}', `${size}`],
  ["read of two names", many + 'read y z <<< "  $x  b  "; echo ${#y} "[$z]"', `${size} [b]`],
  ["mapfile", many + 'mapfile -t y <<< "$x"; echo ${#y}', `${size}`],
  ["tr", many + 'echo "$x" | tr a b | wc -c', `${size + 1}`],
  ["splitting", doubled("a", 18) + "IFS=a; set -- $x; echo $#", `${2 ** 18}`],
  ["the number of the line after a million newlines", doubled("\n", 20) + 'eval "$x echo \\$LINENO"', `${2 ** 20 + 2}`],
  ["nested backquotes", "echo `echo \\`echo a\\\\$LINENO\\``", "a1"],
  ["a format that is just short enough", doubled("%c", 12) + `printf -v y "%($x)T" 0; echo \${#y}`, `${24 * 2 ** 12}`],
  ["a format of the widest fields", doubled("%9999Y", 10) + `printf -v y "%($x)T" 0; echo \${#y}`, `${2 ** 20}`],
])("answers as for a short text: %s", async (_, script, output) => {
  const { stderr, stdout } = await sh(script)
  expect(stderr).toBe("")
  expect(stdout.trim()).toBe(output)
})

it.each([
  ["${x@U}", letters + "y=${x@U}"],
  ["${x,,}", letters + "y=${x,,}"],
  ["${x,,[a-z]}", many + "y=${x,,[a-z]}"],
  ["${x//a/b}", many + "y=${x//a/b}"],
  ["${x@E}", doubled("\\a", 20) + "y=${x@E}"],
  ["${x@Q}", doubled("\n", 22) + "y=${x@Q}"],
  ["echo -e", doubled("\\a", 20) + "echo -e $x > /dev/null"],
  ["[[ == ]]", letters + "[[ $x == *b ]]"],
  ["read", many + 'read y <<< "$x"'],
  ["declare -p of lines", doubled("\n", 21) + "declare -p x > /dev/null"],
  ["printf %*s", "printf '%*s' 90000000 > /dev/null"],
])("gives others a turn during %s", async (_, script) => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await sh(script)
  clearInterval(timer)
  expect(turns).toBeGreaterThan(0)
})
