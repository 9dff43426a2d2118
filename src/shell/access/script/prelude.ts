/**
 * Functions that bash is given before a script, which keep it below the allowed roots.
 *
 * What is asked about is held: the working directory itself, the descriptor of a folder. `..` of these is what the
 * kernel says, whatever their paths mean by then.
 *
 * @module
 */
import { quoteWord } from "../../../shell-language/ShellLanguage.ts"

/** What a script needs of it. */
export interface Needs {
  /** `cd`, `pushd` or `popd`. */
  readonly directories: boolean
  /** Redirections with files. */
  readonly files: boolean
}

/** Whether a folder is a root or below one; nobody writes into the folder of a repository. */
const below = (roots: ReadonlyArray<string>): string =>
  `SLUICE_below() { local d=$1; until [[ ${roots.map((root) => `$d -ef ${quoteWord(root)}`).join(" || ")} ]]; do ` +
  "[[ $d -ef $d/.. || ( $2 == w && $d -ef $d/../.git ) ]] && return 1; d+=/..; done; [[ $2 != w || ! $d -ef $d/../.git ]]; }"

/** A change of directory that leads elsewhere ends the shell that made it. */
const changes = ["cd", "pushd", "popd"].map((name) =>
  `${name}() { builtin ${name} "$@" || return; SLUICE_below . r || ` +
  `{ echo "bash: ${name}: $PWD is not within an allowed root" >&2; exit 1; }; }`
).join("; ")

/**
 * Opens a file: a new one with O_EXCL, one that is there by its inode, in a folder that is held. Links are not followed;
 * one that is swapped in between the looks has to come and go with each of them.
 */
const open = "SLUICE_open() { " + [
  "local s=$? - d f i n p t=$3 why='not within an allowed root'",
  "set +eux",
  "[[ $1 != SLUICE_FILE_1 ]] || SLUICE_STATUS=$s",
  "[[ $# == 3 ]] || { echo 'bash: ambiguous redirect' >&2; return 1; }",
  '[[ $t != /dev/null ]] || { printf -v "$1" %s /dev/null; return 0; }',
  "[[ $t != /* ]] || t=/.$t",
  "n=${t##*/}",
  'p=${t%"$n"}',
  'exec {d}< "${p:-.}" || return 1',
  "p=/proc/self/fd/$d/$n",
  'if SLUICE_below "/proc/self/fd/$d" "$2" && [[ -n $n && $n != . && $n != .. && ( $2 == r || $n != .git ) ]]; then ' +
  "why='no plain file'; " +
  "if [[ $2 == r || -e $p || -L $p ]]; then " +
  "if [[ ! -e $p && ! -L $p ]]; then why='No such file or directory'; " +
  'elif [[ -f $p && ! -L $p ]] && exec {f}< "$p"; then ' +
  "for i in 1 2 3 4 5 6 7 8; do [[ ! -L $p && $p -ef /proc/self/fd/$f ]] || { exec {f}<&-; f=; break; }; done; fi; " +
  "else set -C; exec {f}> \"$p\" || why='cannot be created'; fi; fi",
  "exec {d}<&-",
  '[[ -n $f ]] || { echo "bash: $3: $why" >&2; return 1; }',
  "i=${!1:-}",
  "i=${i##*/}",
  "[[ $i == *[!0-9]* || -z $i ]] || exec {i}>&-",
  'printf -v "$1" %s "/proc/self/fd/$f"',
].join("; ") + "; }"

/** The text of the functions that are needed, each with a semicolon behind it. */
export const preludeOf = (roots: ReadonlyArray<string>, { directories, files }: Needs): string =>
  directories || files
    ? [below(roots), ...(directories ? [changes] : []), ...(files ? [open] : [])].map((text) => `${text}; `).join("")
    : ""
