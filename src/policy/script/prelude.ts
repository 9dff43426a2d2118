/**
 * Builds the bash functions that stand before a script and keep its redirections below the allowed roots, its writes
 * out of `.git` folders, and on request its working directory too.
 *
 * What is asked about is held: the working directory itself, the descriptor of a folder. `..` of these is what the
 * kernel says, whatever their paths mean by then.
 *
 * @module
 */
import { quoteWord } from "../../shell-language/ShellLanguage.ts"

/** What a script needs of it. */
export interface PreludeNeeds {
  /** `cd`, `pushd` or `popd`. */
  readonly directories: boolean
  /** No folder of a repository may be entered. */
  readonly repositories: boolean
  /** Redirections with files. */
  readonly files: boolean
}

/** Whether a folder is a root or below one, and not inside a `.git` folder. */
const below = (roots: ReadonlyArray<string>): string => {
  const isRoot = roots.map((root) => `$SLUICE_AT -ef ${quoteWord(root)}`).join(" || ")
  const isRepository = "$SLUICE_FOR == w && $SLUICE_AT -ef $SLUICE_AT/../.git"
  return `SLUICE_below() { local SLUICE_AT=$1 SLUICE_FOR=$2; until [[ ${isRoot} ]]; do ` +
    `[[ $SLUICE_AT -ef $SLUICE_AT/.. || ( ${isRepository} ) ]] && return 1; SLUICE_AT+=/..; done; ` +
    `! [[ ${isRepository} ]]; }`
}

/** A change of directory that leads elsewhere ends the shell that made it, without what it had to do at its end. */
const changes = (repositories: boolean): string => {
  const place = (name: string, mode: "r" | "w", why: string): string =>
    `SLUICE_below . ${mode} || { trap - EXIT; echo "bash: ${name}: $PWD is ${why}" >&2; exit 1; }`
  return ["cd", "pushd", "popd"].map((name) =>
    `${name}() { builtin ${name} "$@" || return; ${place(name, "r", "not within an allowed root")}; ` +
    `${repositories ? `${place(name, "w", "in the folder of a repository, whose settings git would run")}; ` : ""}}`
  ).join("; ")
}

/** Eight looks in turn: that the entry is no link, and that it is what was opened. */
const isStill =
  "for SLUICE_I in 1 2 3 4 5 6 7 8; do [[ ! -L $SLUICE_P && $SLUICE_P -ef /proc/self/fd/$SLUICE_F ]] || " +
  "{ exec {SLUICE_F}<&-; SLUICE_F=; break; }; done"

/**
 * Opens a file: a new one with O_EXCL, one that is there by its inode, in a folder that is held. Links are not followed;
 * one that is swapped in between the looks has to come and go with each of them. Scripts cannot set its variables, also
 * not in a trap that runs meanwhile.
 */
const open = "SLUICE_open() { " + [
  "local SLUICE_S=$? - SLUICE_A=$# SLUICE_V=$1 SLUICE_M=$2 SLUICE_T=$3 " +
  "SLUICE_D SLUICE_F SLUICE_I SLUICE_N SLUICE_P SLUICE_W='not within an allowed root'",
  "set +eux",
  "[[ $SLUICE_V == SLUICE_FILE_[123456789]* ]] || return 1",
  "[[ $SLUICE_V != SLUICE_FILE_1 ]] || SLUICE_STATUS=$SLUICE_S",
  "[[ $SLUICE_A == 3 ]] || { echo 'bash: ambiguous redirect' >&2; return 1; }",
  '[[ $SLUICE_T != /dev/null ]] || { printf -v "$SLUICE_V" %s /dev/null; return 0; }',
  // Of `/dev/tcp/…` bash would make a connection.
  "SLUICE_P=$SLUICE_T",
  "[[ $SLUICE_P != /* ]] || SLUICE_P=/.$SLUICE_P",
  "SLUICE_N=${SLUICE_P##*/}",
  'SLUICE_P=${SLUICE_P%"$SLUICE_N"}',
  'exec {SLUICE_D}< "${SLUICE_P:-.}" || return 1',
  "SLUICE_P=/proc/self/fd/$SLUICE_D/$SLUICE_N",
  'if SLUICE_below "/proc/self/fd/$SLUICE_D" "$SLUICE_M" && ' +
  "[[ -n $SLUICE_N && $SLUICE_N != . && $SLUICE_N != .. && ( $SLUICE_M == r || $SLUICE_N != .git ) ]]; then " +
  "SLUICE_W='no plain file'; " +
  "if [[ ! -e $SLUICE_P && ! -L $SLUICE_P ]]; then " +
  "if [[ $SLUICE_M == r ]]; then SLUICE_W='No such file or directory'; " +
  "else set -C; exec {SLUICE_F}> \"$SLUICE_P\" || SLUICE_W='cannot be created'; fi; " +
  'elif [[ -f $SLUICE_P && ! -L $SLUICE_P ]] && exec {SLUICE_F}< "$SLUICE_P"; then ' + isStill + "; fi; fi",
  "exec {SLUICE_D}<&-",
  '[[ -n $SLUICE_F ]] || { echo "bash: $SLUICE_T: $SLUICE_W" >&2; return 1; }',
  "SLUICE_I=${!SLUICE_V:-}",
  "SLUICE_I=${SLUICE_I##*/}",
  "[[ -z $SLUICE_I || $SLUICE_I == *[!0123456789]* ]] || exec {SLUICE_I}>&-",
  'printf -v "$SLUICE_V" %s "/proc/self/fd/$SLUICE_F"',
].join("; ") + "; }"

/** The text of the functions that are needed, each with a semicolon behind it. */
export const makePrelude = (roots: ReadonlyArray<string>, { directories, files, repositories }: PreludeNeeds): string =>
  directories || files
    ? [below(roots), ...(directories ? [changes(repositories)] : []), ...(files ? [open] : [])].map((text) =>
      `${text}; `
    ).join("")
    : ""
