/**
 * Generated scripts: from a grammar, and mutations of attacks and of what looks like them. `evil` is a command that
 * no list has.
 */
import type { Random } from "../support/random.ts"
import { attacks, rewritten } from "./attacks.ts"
import { Grammar } from "./grammar.ts"

const everyday = [
  "ls -la | head -n 3 && echo done",
  'for f in ./*; do echo "$f"; done',
  'x=$(ls); echo "$x" | wc -l',
  "i=0; while ((i < 3)); do echo $((i++)); done",
  'if [ -f a ]; then cat a; else echo "evil"; fi',
  "cat <<'E'\n$(evil)\n`evil`\nE",
  "cat <<E\n'evil'\nE",
  "echo 'evil; evil' \"evil | evil\" \\; evil",
  "f() { ls \"$@\"; }; f evil; f 'evil'",
  "case evil in evil) ls ;; *) echo evil ;; esac",
  "find . -name evil -exec ls {} + -o -name '*.x' -exec grep evil {} \\;",
  "echo evil | xargs -n 1 ls",
  "echo a b | xargs -I{} ls {}",
  "env A=evil nice -n 1 timeout 1 ls evil",
  "sed -n 's/evil/x/gp' a; awk '{print \"evil\"}' a",
  "tar cf t.tar ./evil; git --no-pager log -1",
  "a=(evil 'evil'); echo \"${a[@]}\" ${#a[@]} ${a[0]}",
  "trap 'echo evil' EXIT; eval 'ls evil'",
  'echo "${x:-evil}" ${x:+evil} "${x#evil}" ${x//evil/}',
  "[[ evil == e* && -n evil ]] && echo yes",
  "echo $'evil\\n' \"a`ls`b\" # evil",
  "ls evil 2>&1 >/dev/null <<< evil",
  "{ ls; echo evil; } | (cat; ls) & wait",
  "echo {evil,b}{1..3} ~ *",
  "set -euo pipefail; shopt -s nullglob; ls ./*evil*",
  'while IFS= read -r l; do ls "$l"; done <<< evil',
  "exec 3>&1; ls >&3; command ls evil; builtin echo evil",
  "i=0; echo $((i)); readonly x=3; echo $((x + i))",
  "f() { local n=1; echo $((n + 1)); }; f; f",
  "n=$((1 + 2))\necho $((n))\nread -r y <<< 5; echo $y",
  "eval 'i=2; echo $((i))'; trap 'x=1; echo $((x))' EXIT",
  "g() { ls evil; }\nh() { g; }\nh; git log $(git rev-parse HEAD)",
  "sed ':a;N;$!ba;s/evil/ls/' a; sed -n '1,+2p;1a evil' a",
  "echo $((x + 1)) $((j * y)); ((x > 3)) || echo $((i - n))",
  'declare -A m; m[evil]=1; m[$x]=2; echo "${m[$x]}" ${#m[@]}; for k in "${!m[@]}"; do echo "$k"; done',
  "declare -A m=([evil]=1 ['a[$(evil)]']=2); k='a[$(evil)]'; m[$k]=3; echo ${m[$k]}",
  "[[ $x -eq 1 || 3 -lt $y ]] && echo ${x:1:n}; for ((k = 0; k < n; k++)); do echo $k; break; done",
  'git log "$x" --oneline -n 3; git commit -am "$x"; git diff "$x" HEAD -- a',
  'sed -n 1p "$x"; sed -Ei "s/a/b/" "$y"; sort "$x" "$y"; curl -s "$x"; awk \'{ print "|" $1 }\' "$x"',
  "awk '/@/ { print \"evil | x\" } $1 ~ /e|f/' a; sed '1i\\evil' a; ls | xargs sed -n p",
  'cat < "$x"; echo a > "./$y"; while read -r l; do echo "$l"; done < $x',
  'local_var=1; export LV=evil; declare -a arr; read -r l <<< evil; echo "$l"',
]

const fragments = [
  ...[
    ";",
    "\n",
    " & ",
    " | ",
    " && ",
    " || ",
    " |& ",
    "(",
    ")",
    "{ ",
    " }",
    "; }",
    "'",
    '"',
    "`",
    "\\",
    "\\\n",
    "$",
    "#",
    " #",
  ],
  ...[
    "$(",
    "${",
    "}",
    "$((",
    "))",
    "((",
    "[[ ",
    " ]]",
    "[",
    "]",
    "<<E\n",
    "\nE\n",
    "<<-'E'\n",
    "<<<",
    "<(",
    ">(",
    "=",
    "+=",
    "!",
  ],
  ...[
    "x=",
    "a[",
    "$'",
    '$"',
    "\\'",
    '\\"',
    "'\\''",
    "\t",
    " ",
    "  ",
    "~",
    "*",
    "?",
    "{a,",
    "..",
    "@P}",
    "${x@P}",
    "${!x}",
  ],
  ...[
    "evil",
    " evil",
    "evil ",
    ";evil;",
    "\nevil\n",
    "$(evil)",
    "`evil`",
    "'evil'",
    '"$(evil)"',
    "a[$(evil)]",
    "'a[$(evil)]'",
  ],
  ...[
    "ls",
    "echo ",
    "eval ",
    "exec ",
    "command ",
    "env ",
    "xargs ",
    "find . ",
    "trap ",
    "declare ",
    "export ",
    "time ",
    "! ",
  ],
  ...[
    "if ls; then ",
    "; fi",
    "for i in a; do ",
    "; done",
    "case x in x) ",
    ";; esac",
    "f() { ",
    "function f { ",
    "; }; f",
    "while ls; do ",
    "break; ",
  ],
  ...[
    "-exec ",
    "-c ",
    "--",
    "-",
    "$x",
    "$@",
    "$1",
    "$((x))",
    "${x:-",
    "${x/",
    "%",
    "\u00a0",
    "\u2028",
    "0",
    "1",
    "2>&1",
    ">&",
    "&>",
    "esac",
    "in",
  ],
  ...[
    "$((1/0))",
    "$((1/0))\n",
    "${!e@}",
    "i=0",
    "i=0\n",
    "echo $((i))",
    "{i}>&1",
    "<&99",
    "read ",
    "printf -v ",
    "readonly ",
    "local ",
    "-f ",
    "-p ",
    "$'\\x27'",
    "$'\\n'",
    "\\$(evil)",
    '"\\$(evil)"',
    "'$(evil)'",
    "\\`evil\\`",
    "}evil",
    ")evil",
    "]evil",
    "'evil",
    '"evil',
    "#evil\nls",
  ],
]

const cut = (text: string, { int }: Random): readonly [number, number] => {
  const from = int(0, text.length)
  return [from, Math.min(text.length, from + int(0, 12))]
}

const pieces = (script: string): ReadonlyArray<string> =>
  script.split(/(?<=[\s;&|(){}<>"'`$\\])|(?=[\s;&|(){}<>"'`$\\])/)

/** One change of a script. */
export const mutate = (script: string, other: string, r: Random): string => {
  const at = r.int(0, script.length)
  const [from, to] = cut(script, r)
  switch (r.int(0, 11)) {
    case 0:
    case 1:
    case 2:
      return script.slice(0, at) + r.pick(fragments) + script.slice(at)
    case 3:
      return script.slice(0, from) + script.slice(to)
    case 4:
      return script.slice(0, from) + r.pick(fragments) + script.slice(to)
    case 5:
      return script.slice(0, at) + other.slice(...cut(other, r)) + script.slice(at)
    case 6: {
      const parts = [...pieces(script)]
      const [a, b] = [r.int(0, parts.length - 1), r.int(0, parts.length - 1)]
      const [left, right] = [parts[a] ?? "", parts[b] ?? ""]
      parts[a] = right
      parts[b] = left
      return parts.join("")
    }
    case 7:
      return script.replace(
        /evil/,
        () => r.pick(["ls", "'evil'", '"evil"', "echo evil", "ls evil", "\\evil", "e''vil"]),
      )
    case 8:
      return script.replaceAll("evil", () => r.pick(["ls", "ls", "evil"]))
    case 9:
      return r.pick<(text: string) => string>([
        (text) => `echo "$(${text})"`,
        (text) => `f() { ${text}\n}; f`,
        (text) => `(${text})`,
        (text) => `{ ${text}\n} | cat`,
        (text) => `eval '${text}'`,
        (text) => `eval "${text}"`,
        (text) => `echo \`${text}\``,
        (text) => `cat <<E\n${text}\nE`,
        (text) => `cat <<'E'\n${text}\nE`,
        (text) => `echo "${text}"`,
        (text) => `echo '${text}'`,
        (text) => `trap '${text}' EXIT`,
        (text) => `x="${text}"; echo $x`,
        (text) => `ls # ${text}`,
        (text) => `[[ ${text} ]]`,
        (text) => `echo \${x:-${text}}`,
        (text) => `echo "\${x:-${text}}"`,
        (text) => `echo $((${text}))`,
        (text) => `case ${text} in *) ls ;; esac`,
        (text) => `a=(${text})`,
        (text) => `ls <(${text})`,
      ])(script)
    case 10:
      return `${script}${r.pick(["\n", ";", " | ", " && ", "\\\n"])}${other}`
    default:
      return script.slice(0, at) + r.pick(fragments) + r.pick(fragments) + script.slice(at)
  }
}

const seeds = [
  ...attacks.map(([, , script]) => script),
  ...rewritten,
  ...everyday,
  ...everyday,
  ...everyday,
  ...everyday,
]

/** A generated script. */
export const made = (r: Random): string => {
  const isGrammar = r.int(0, 2) > 0
  let script = isGrammar ? new Grammar(r).script(r.int(1, 3)) : r.pick(seeds)
  // What writes elsewhere than in the folder is of no use here.
  for (let changes = isGrammar ? Math.max(0, r.int(-6, 2)) : r.int(1, 4); changes > 0; changes--) {
    script = mutate(script, r.pick(seeds), r)
  }
  return script.replaceAll("/tmp", "./t").replaceAll("/etc", "./t").slice(0, 2_000)
}
