/** Implements `help`, which prints the purpose of builtins and keywords. Source: bash(1) `help`. */
import { runCoroutine } from "../../Coroutine.ts"
import { compilePattern } from "../expand/ShellPattern.ts"
import type { Builtin } from "../Shell.ts"
import { withOptions } from "./parseBuiltinOptions.ts"

/** Name, synopsis after the name and purpose of each topic. */
const topics: ReadonlyArray<readonly [name: string, synopsis: string, purpose: string]> = `
.|FILE [ARGUMENT...]|Runs the commands of a file in this shell.
:||Does nothing and succeeds.
[|EXPRESSION ]|Tests files, strings and numbers.
alias|[-p] [NAME[=VALUE]...]|Defines or prints aliases.
bg|[JOB...]|Continues jobs in the background.
break|[LEVELS]|Leaves loops.
builtin|NAME [ARGUMENT...]|Runs a builtin, also where a function has its name.
caller|[FRAME]|Prints where the running function was called.
case|WORD in PATTERN) COMMANDS ;; ... esac|Runs the commands of the first pattern that matches.
cd|[-L | -P] [DIRECTORY]|Changes the working directory.
command|[-pvV] NAME [ARGUMENT...]|Runs a command, passing over functions, or tells what it is.
compgen|[OPTION]... [WORD]|Prints names that begin with a word.
complete|[-pr] [OPTION]... [NAME...]|Stores how arguments of a command are completed.
compopt|[OPTION]... [NAME...]|Changes options of stored completions.
continue|[LEVELS]|Goes on with the next round of a loop.
declare|[-aAfFgilnrtux] [-p] [NAME[=VALUE]...]|Sets values and attributes of variables, or prints them.
dirs|[-clpv] [+N | -N]|Prints the stack of directories.
disown|[-ahr] [JOB...]|Removes jobs from the table of jobs.
echo|[-neE] [ARGUMENT...]|Prints its arguments.
eval|[ARGUMENT...]|Runs its arguments as a command.
exec|[-c] [-a NAME] [COMMAND [ARGUMENT...]]|Replaces the shell by a command, or keeps redirections.
exit|[STATUS]|Ends the shell.
export|[-fnp] [NAME[=VALUE]...]|Marks variables for the environment of commands.
false||Fails.
fg|[JOB]|Waits for a job in the foreground.
for|NAME [in WORD...]; do COMMANDS; done|Runs commands for each word.
function|NAME { COMMANDS; }|Defines a function.
getopts|OPTIONS NAME [ARGUMENT...]|Parses the options of a script.
hash|[-r] [NAME...]|Forgets or remembers where programs are.
help|[-dms] [PATTERN...]|Prints this list, or what it says about a name.
history|[-c] [-d POSITION] [-s TEXT] [-p TEXT] [COUNT]|Prints or changes the stored history.
if|COMMANDS; then COMMANDS; [elif COMMANDS; then COMMANDS;]... [else COMMANDS;] fi|Runs commands on a condition.
jobs|[-lnprs] [JOB...]|Lists jobs.
kill|[-s SIGNAL | -SIGNAL] PID | JOB...|Sends a signal.
let|EXPRESSION...|Evaluates arithmetic.
local|[OPTION] NAME[=VALUE]...|Makes variables of a function.
mapfile|[-d DELIMITER] [-n COUNT] [-O ORIGIN] [-s COUNT] [-t] [-u FD] [ARRAY]|Reads lines into an array.
popd|[-n] [+N | -N]|Removes a directory from the stack and changes to the next one.
printf|[-v NAME] FORMAT [ARGUMENT...]|Prints by a format.
pushd|[-n] [+N | -N | DIRECTORY]|Adds a directory to the stack and changes to it.
pwd|[-LP]|Prints the working directory.
read|[-ers] [-a ARRAY] [-d DELIMITER] [-n COUNT] [-p PROMPT] [-t SECONDS] [-u FD] [NAME...]|Reads a line.
readarray|[-d DELIMITER] [-n COUNT] [-O ORIGIN] [-s COUNT] [-t] [-u FD] [ARRAY]|Reads lines into an array.
readonly|[-aAfp] [NAME[=VALUE]...]|Marks variables as constant.
return|[STATUS]|Leaves a function.
select|NAME [in WORD...]; do COMMANDS; done|Lets the user choose words and runs commands for each.
set|[OPTION]... [--] [ARGUMENT...]|Sets options and positional parameters.
shift|[COUNT]|Removes the first positional parameters.
shopt|[-pqsu] [-o] [NAME...]|Sets options of the shell.
source|FILE [ARGUMENT...]|Runs the commands of a file in this shell.
test|[EXPRESSION]|Tests files, strings and numbers.
time|[-p] PIPELINE|Prints how long a pipeline takes.
times||Prints processor times.
trap|[-lp] [[COMMAND] SIGNAL...]|Runs a command on a signal.
true||Succeeds.
type|[-afptP] NAME...|Tells what a command name means.
typeset|[-aAfFgilnrtux] [-p] [NAME[=VALUE]...]|Sets values and attributes of variables, or prints them.
ulimit|[-SHa] [LIMIT]|Prints limits of processes.
umask|[-p] [-S] [MODE]|Prints or sets the mode of new files.
unalias|[-a] [NAME...]|Removes aliases.
unset|[-fnv] [NAME...]|Removes variables and functions.
until|COMMANDS; do COMMANDS; done|Repeats commands until a condition holds.
wait|[-fn] [-p NAME] [PID | JOB...]|Waits for jobs.
while|COMMANDS; do COMMANDS; done|Repeats commands while a condition holds.
[[|EXPRESSION ]]|Tests files, strings, numbers and patterns.
((|EXPRESSION ))|Evaluates arithmetic.
{|COMMANDS; }|Groups commands.
`.trim().split("\n").map((line) => {
  // The bars of a synopsis have spaces around them.
  const [name = "", synopsis = "", purpose = ""] = line.split(/(?<! )\|(?! )/)
  return [name, synopsis, purpose]
})

const maxPatterns = 1_000

const help = withOptions("dms", async (shell, { letters, rest }) => {
  const known = topics.filter(([name]) =>
    shell.interpreter.builtins.has(name) || !/^[a-z]/.test(name) || isKeyword(name)
  )
  if (rest.length === 0) return await shell.writeOutput(known.map(synopsisOf).join(""))
  if (rest.length > maxPatterns) return await shell.reportError(`help: more than ${maxPatterns} patterns`)
  let text = ""
  for (const pattern of rest) {
    const exact = known.filter(([name]) => name === pattern)
    const glob = compilePattern(pattern)
    const matching = exact.slice()
    for (const topic of exact.length > 0 ? [] : known) {
      if (await runCoroutine(shell.system, glob.matches(topic[0]))) matching.push(topic)
    }
    const found = matching.length > 0 ? matching : known.filter(([name]) => name.startsWith(pattern))
    for (const topic of found) {
      const [name, , purpose] = topic
      if (letters.has("d")) text += `${name} - ${purpose}\n`
      else if (letters.has("s")) text += synopsisOf(topic)
      else if (letters.has("m")) {
        text += `NAME\n    ${name} - ${purpose}\n\nSYNOPSIS\n    ${usageOf(topic)}\n`
      } else text += `${synopsisOf(topic)}    ${purpose}\n`
    }
  }
  // As in bash, one pattern that matches is enough.
  if (text !== "") return await shell.writeOutput(text)
  return await shell.reportError(`help: no help topics match \`${rest.at(-1)}'. Type \`help' to see the list.`)
})

const isKeyword = (name: string): boolean => /^(?:case|for|function|if|select|time|until|while)$/.test(name)

const usageOf = ([name, synopsis]: (typeof topics)[number]): string => synopsis === "" ? name : `${name} ${synopsis}`

const synopsisOf = (topic: (typeof topics)[number]): string => `${topic[0]}: ${usageOf(topic)}\n`

/** The names of the topics, for `compgen -A helptopic`. */
export const helpTopics: ReadonlyArray<string> = topics.map(([name]) => name)

export const helpBuiltins: ReadonlyArray<readonly [string, Builtin]> = [["help", help]]
