/** Formats what `--version` prints: scripts look for GNU in it before they use options that only GNU's programs have. */

/** The packages that utilities outside of coreutils follow. */
const packages: Readonly<Record<string, string>> = {
  "GNU awk 5.2": "awk",
  "GNU bc 1.07": "bc",
  "GNU binutils 2.40": "strings",
  "GNU diffutils 3.8": "cmp diff",
  "GNU findutils 4.9": "find xargs",
  "GNU gettext 0.21": "envsubst",
  "GNU grep 3.8": "egrep fgrep grep",
  "GNU libc 2.36": "iconv",
  "GNU patch 2.7": "patch",
  "GNU sed 4.9": "sed",
  "GNU tar 1.34": "tar",
  "GNU wget 1.21": "wget",
  "Info-ZIP 3.0": "unzip zip",
  "XZ Utils 5.4": "unxz xz xzcat",
  "bzip2 1.0": "bunzip2 bzcat bzip2",
  "debianutils 5.7": "which",
  "file 5.44": "file",
  "gzip 1.12": "gunzip gzip zcat zgrep",
  "hostname 3.23": "hostname",
  "less 590": "less",
  "ncurses 6.4": "clear tput",
  "procps 4.0": "kill pgrep pkill ps uptime",
  "ripgrep 13.0": "rg",
  "tree 2.1": "tree",
  "util-linux 2.38": "column getopt hexdump more rev uuidgen",
  "xxd 2022": "xxd",
  "yq 4": "yq",
}

const packageOf: ReadonlyMap<string, string> = new Map(
  Object.entries(packages).flatMap(([name, programs]) => programs.split(" ").map((program) => [program, name])),
)

/** `sed (Sluice), as of GNU sed 4.9`. */
export const versionText = (name: string): string =>
  `${name} (Sluice), as of ${packageOf.get(name) ?? "GNU coreutils 9.1"}\n`
