import { expect, it } from "vitest"
import { random } from "../../support/random.ts"
import { ask } from "./oracle.ts"
import { sh } from "./support.ts"

const count = 150

const dice = random(4)
const { int, pick } = dice

const times = (most: number, make: () => string): string => Array.from({ length: int(0, most) }, make).join("")

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const scriptOf = (first: string, line: () => string): string =>
  [first, ...Array.from({ length: count }, (_, index) => `echo ${index}; ${line()}`)].join("\n")

const arithmetic = (depth = 0): string => {
  const kind = dice.next()
  if (depth > 3 || kind < 0.3) return pick(["0", "1", "2", "7", "-1", "x", "y", "0x1f", "017", "9223372036854775807"])
  const operators = "+ - * / % << >> < <= > >= == != & ^ | && ||".split(" ")
  if (kind < 0.75) return `${arithmetic(depth + 1)} ${pick(operators)} ${arithmetic(depth + 1)}`
  if (kind < 0.85) return `(${arithmetic(depth + 1)})`
  if (kind < 0.92) return `${pick(["-", "+", "!", "~"])} ${arithmetic(depth + 1)}`
  return `${arithmetic(depth + 1)} ? ${arithmetic(depth + 1)} : ${arithmetic(depth + 1)}`
}

const updates = "x++ ++x x-- --y y+=x x-=3 x*=2 x=y=4 x^=y x|=8 x<<=1 y>>=1 x%=7 x/=2 a[1]++ a[x&3]+=2 x=a[1]+y".split(
  " ",
)

const pattern = (): string =>
  pick(["a", "b", "c", "*", "?", "[ab]", "[!a]", "[a-c]", "[[:alpha:]]", "\\*"]) +
  times(3, () => pick(["a", "b", "c", "*", "?", "[^b]", "[]a]", "[a-]", "\\?"]))

const braces = (depth = 0): string =>
  pick(["a", "b", ""]) + times(3, () => {
    const kind = dice.next()
    if (kind < 0.4) return pick(["a", "b", "x"])
    if (kind < 0.6) return `{${pick(["1..3", "3..1", "a..c", "1..9..4", "-2..2", "01..3", "1..", "1.5..2", "a..3"])}}`
    return depth < 2 ? `{${braces(depth + 1)},${braces(depth + 1)}}` : ""
  })

const escaped = (text: string): string =>
  `$'${[...new TextEncoder().encode(text)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")}'`

const scripts: Readonly<Record<string, string>> = {
  arithmetic: scriptOf("x=5 y=-3", () => `echo $(( ${arithmetic()} ))`),
  "assignments in arithmetic": scriptOf("x=5 y=-3", () => `echo $(( ${pick(updates)} )) $x $y \${a[@]}`),
  patterns: scriptOf("", () => {
    const [text, matched] = [quote(times(6, () => pick([..."abcabc*-"]))), quote(pattern())]
    const trims = ["#", "##", "%", "%%"].map((operator) => `"\${x${operator}$p}"`)
    return `x=${text}; p=${matched}; case $x in $p) echo yes;; esac; echo ${trims.join(" ")} "\${x/$p/_}" "\${x//$p/_}"`
  }),
  fields: scriptOf("show() { printf '%d' $#; printf '<%s>' \"$@\"; echo; }", () => {
    const ifs = pick([`$' \\t\\n'`, "':'", "': '", "','", "'ab'", "''", "' '", "':,'"])
    const text = quote(times(9, () => pick([..." :,ab  x"])))
    return `IFS=${ifs}; v=${text}; show $v; show x$v"y"$v; set -- $v; show "$*"; show $*; show "p$@s"; ` +
      `read -r m n o <<< "$v"; show "$m" "$n" "$o"; read -ra z <<< "$v"; show "\${z[@]}"`
  }),
  substrings: scriptOf("set -- a b c d; a=(p q [4]=r s)", () => {
    const [offset, length] = [int(-7, 7), int(-3, 7)]
    return `x=${
      quote(times(6, () => pick([..."abcdefé"])))
    }; (echo "\${x: ${offset}}" "\${x: ${offset}:${length}}"); ` +
      `(echo "\${@: ${offset}:${Math.abs(length)}}"); (echo "\${a[@]: ${offset}:${Math.abs(length)}}")`
  }),
  braces: scriptOf("", () => `echo ${braces()}`),
  "quoted values": scriptOf("", () => {
    const text = times(6, () => pick([..."a \t\n'\"$`\\*é~#!=;-/,{}[]^"]))
    return `v=${escaped(text)}; printf '%q\\n' "$v"; echo "\${v@Q}"; declare -p v; ` +
      `eval "w=$(printf %q "$v")"; [ "$v" = "$w" ] && echo same`
  }),
  "printed numbers": scriptOf("", () => {
    const format = `%${times(2, () => pick([..."-+ 0#"]))}${pick(["", "5", "10"])}${pick(["", ".0", ".3"])}${
      pick([..."dioxXuefgEGs"])
    }`
    return `printf '${format}|\\n' ${
      quote(pick(["0", "1", "-1", "255", "12345", "-2.5", "1e10", "0.0001", "abc", ""]))
    }; echo $?`
  }),
}

const bash = ask("bash", Object.values(scripts))

for (const [index, [subject, script]] of Object.entries(scripts).entries()) {
  it(`treats random ${subject} as bash does`, async () => {
    const { stdout } = await sh(script)
    const [got, expected] = [stdout.split("\n"), (await bash)[index]?.stdout.split("\n") ?? []]
    const at = expected.findIndex((line, place) => got[place] !== line)
    const number = at < 0 ? undefined : expected.slice(0, at + 1).findLast((line) => /^\d+$/.test(line))
    const line = script.split("\n").find((candidate) => candidate.startsWith(`echo ${number}; `))
    expect(got.slice(at < 0 ? expected.length : at, at + 3), line).toEqual(at < 0 ? [] : expected.slice(at, at + 3))
    expect(expected.length).toBeGreaterThan(count)
  })
}
