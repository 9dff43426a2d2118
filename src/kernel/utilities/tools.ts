/** Loads smaller utilities when they are first run, so that a script without them does not load them. */
import type { Program } from "../System.ts"

/** `b2sum [-bcz] [--tag] [FILE]...`: as `sha256sum`, with BLAKE2b. Source: b2sum(1). */
export const b2sum: Program = async (system) => (await import("./tools/b2sum.ts")).b2sum(system)

/** `cksum [FILE]...`: prints checksums of POSIX and sizes. Source: cksum(1). */
export const cksum: Program = async (system) => (await import("./tools/cksum.ts")).cksum(system)

/** `clear`: writes the sequence that clears a terminal. Source: clear(1). */
export const clear: Program = async (system) => (await import("./tools/screen.ts")).clear(system)

/** `cmp [-bls] [-i SKIP] [-n BYTES] FILE1 [FILE2]`: compares bytes. Source: cmp(1). */
export const cmp: Program = async (system) => (await import("./tools/cmp.ts")).cmp(system)

/** `column [-tx] [-s SEPARATORS] [-o SEPARATOR] [FILE]...`: fills columns, or aligns a table. Source: column(1). */
export const column: Program = async (system) => (await import("./tools/column.ts")).column(system)

/**
 * `comm [-123z] FILE1 FILE2`: prints the lines of one, of the other and of both sorted files. Source: comm(1).
 */
export const comm: Program = async (system) => (await import("./tools/comm.ts")).comm(system)

/** `csplit [-ksz] [-f PREFIX] [-b SUFFIX] [-n DIGITS] FILE PATTERN...`: splits a file at lines. Source: csplit(1). */
export const csplit: Program = async (system) => (await import("./tools/csplit.ts")).csplit(system)

/** `dd [if=FILE] [of=FILE] [bs=BYTES] [count=N] [skip=N] [seek=N] [conv=LIST]`: copies blocks. Source: dd(1). */
export const dd: Program = async (system) => (await import("./tools/dd.ts")).dd(system)

/** `df [-aHhikPTl] [-B SIZE] [--total] [--output[=FIELDS]] [FILE]...`: shows the space of volumes. Source: df(1). */
export const df: Program = async (system) => (await import("./tools/df.ts")).df(system)

/**
 * `du [-abchks] [-d N] [--exclude=PATTERN] [--time] [FILE]...`: prints the disk usage of files and directories. Source:
 * du(1).
 */
export const du: Program = async (system) => (await import("./tools/du.ts")).du(system)

/** `envsubst [-v] [SHELL-FORMAT]`: replaces `$NAME` by the environment's values. Source: envsubst(1). */
export const envsubst: Program = async (system) => (await import("./tools/envsubst.ts")).envsubst(system)

/** `expand [-i] [-t LIST] [FILE]...`: converts tabs to blanks. Source: expand(1). */
export const expand: Program = async (system) => (await import("./tools/fold.ts")).expand(system)

/** `expr EXPRESSION`: evaluates an expression. Source: expr(1). */
export const expr: Program = async (system) => (await import("./tools/expr.ts")).expr(system)

/** `file [-biL] [--mime-type] FILE...`: tells types of files by their first bytes. Source: file(1). */
export const file: Program = async (system) => (await import("./tools/file.ts")).file(system)

/** `fmt [-cstu] [-w WIDTH] [-g WIDTH] [-p PREFIX] [FILE]...`: fills paragraphs. Source: fmt(1). */
export const fmt: Program = async (system) => (await import("./tools/fmt.ts")).fmt(system)

/** `fold [-bcs] [-w N] [FILE]...`: breaks long lines. Source: fold(1). */
export const fold: Program = async (system) => (await import("./tools/fold.ts")).fold(system)

/** `free [-bghkmtw] [--si]`: shows the memory of the sandbox. Source: free(1). */
export const free: Program = async (system) => (await import("./tools/free.ts")).free(system)

/** `getopt [-o SHORT] [-l LONG] -- ARGUMENT...`: orders options for a script. Source: getopt(1). */
export const getopt: Program = async (system) => (await import("./tools/getopt.ts")).getopt(system)

/** `hexdump [-bcCdox] [-n LENGTH] [-s SKIP] [-v] [FILE]...`: shows bytes. Source: hexdump(1). */
export const hexdump: Program = async (system) => (await import("./tools/hexdump.ts")).hexdump(system)

/** `html-to-markdown [-b CHAR] [-c FENCE] [-r TEXT] [--heading-style=STYLE] [FILE]`: converts HTML. Source: just-bash. */
export const htmlToMarkdown: Program = async (system) =>
  (await import("./html/htmlToMarkdown.ts")).htmlToMarkdown(system)

/** `iconv [-c] [-f ENCODING] [-t ENCODING[//TRANSLIT]] [-o FILE] [-l] [FILE]...`: converts text. Source: iconv(1). */
export const iconv: Program = async (system) => (await import("./tools/iconv.ts")).iconv(system)

/**
 * `install [-Dpv] [-m MODE] SOURCE... TARGET`, `install -d DIRECTORY...`: copies files and sets modes. Source:
 * install(1).
 */
export const install: Program = async (system) => (await import("./tools/install.ts")).install(system)

/** `less [FILE]...`: prints files. Source: less(1). */
export const less: Program = async (system) => (await import("./tools/screen.ts")).less(system)

/** `md5sum`: as `sha256sum`, with MD5. Source: md5sum(1). */
export const md5sum: Program = async (system) => (await import("./tools/checksums.ts")).md5sum(system)

/** `mkfifo [-m MODE] NAME...`: makes FIFOs. Source: mkfifo(1). */
export const mkfifo: Program = async (system) => (await import("./tools/mkfifo.ts")).mkfifo(system)

/** `more [FILE]...`: prints files. Source: more(1). */
export const more: Program = async (system) => (await import("./tools/screen.ts")).more(system)

/** `nice [-n N] [COMMAND [ARG]...]`: runs a command; all processes of the kernel have the priority 0. Source: nice(1). */
export const nice: Program = async (system) => (await import("./tools/nice.ts")).nice(system)

/** `nl [-b STYLE] [-v N] [-i N] [-w N] [-s TEXT] [-n FORMAT] [FILE]...`: numbers lines. Source: nl(1). */
export const nl: Program = async (system) => (await import("./tools/nl.ts")).nl(system)

/** `nohup COMMAND [ARG]...`: runs a command that ignores SIGHUP; there is no terminal to redirect from. Source: nohup(1). */
export const nohup: Program = async (system) => (await import("./tools/nice.ts")).nohup(system)

/** `nproc`: prints the number of processors, one. Source: nproc(1). */
export const nproc: Program = async (system) => (await import("./tools/screen.ts")).nproc(system)

/** `numfmt [--from=UNIT] [--to=UNIT] [OPTION]... [NUMBER]...`: converts sizes. Source: numfmt(1). */
export const numfmt: Program = async (system) => (await import("./tools/numfmt.ts")).numfmt(system)

/** `pgrep [-acfilnovx] [-d TEXT] [-P PIDS] [PATTERN]`: finds processes of the sandbox. Source: pgrep(1). */
export const pgrep: Program = async (system) => (await import("./tools/pgrep.ts")).pgrep(system)

/** `pkill [-SIGNAL] [-cefinovx] [-P PIDS] [PATTERN]`: signals processes of the sandbox. Source: pkill(1). */
export const pkill: Program = async (system) => (await import("./tools/pgrep.ts")).pkill(system)

/** `ps [-Aefj] [aux] [-o COLUMNS] [-p PIDS] [--sort KEYS]`: lists the processes of the sandbox. Source: ps(1). */
export const ps: Program = async (system) => (await import("./tools/ps.ts")).ps(system)

/** `sha1sum`: as `sha256sum`, with SHA-1. Source: sha1sum(1). */
export const sha1sum: Program = async (system) => (await import("./tools/checksums.ts")).sha1sum(system)

/** `sha256sum [-bcz] [--tag] [FILE]...`: prints digests, or verifies them. Source: sha256sum(1). */
export const sha256sum: Program = async (system) => (await import("./tools/checksums.ts")).sha256sum(system)

/** `sha512sum`: as `sha256sum`, with SHA-512. Source: sha512sum(1). */
export const sha512sum: Program = async (system) => (await import("./tools/checksums.ts")).sha512sum(system)

/** `shuf [-erz] [-n COUNT] [-i LOW-HIGH] [FILE | ARGUMENT...]`: prints lines in random order. Source: shuf(1). */
export const shuf: Program = async (system) => (await import("./tools/shuf.ts")).shuf(system)

/**
 * `split [-l N | -b SIZE | -n [l/]N] [-a N] [-d] [--additional-suffix=S] [FILE [PREFIX]]`: splits a file. Source: split(1).
 */
export const split: Program = async (system) => (await import("./tools/split.ts")).split(system)

/** `stat [-Lt] [-c FORMAT | --printf=FORMAT] FILE...`: prints the status of files. Source: stat(1). */
export const stat: Program = async (system) => (await import("./tools/stat.ts")).stat(system)

/** `strings [-f] [-n NUM] [-t d|o|x] [FILE]...`: prints runs of printable characters. Source: strings(1). */
export const strings: Program = async (system) => (await import("./tools/strings.ts")).strings(system)

/** `sum [-rs] [FILE]...`: prints checksums of BSD or System V. Source: sum(1). */
export const sum: Program = async (system) => (await import("./tools/cksum.ts")).sum(system)

/** `top -b [-c] [-d SECONDS] [-n COUNT] [-o FIELD] [-p PIDS] [-w WIDTH]`: lists processes. Source: top(1). */
export const top: Program = async (system) => (await import("./tools/top.ts")).top(system)

/** `tput CAPABILITY [NUMBER]...`: prints what xterm-256color has for a capability. Source: tput(1). */
export const tput: Program = async (system) => (await import("./tools/screen.ts")).tput(system)

/** `tree [-adfF] [-L LEVEL] [-P PATTERN] [-I PATTERN] [DIRECTORY]...`: lists trees. Source: tree(1). */
export const tree: Program = async (system) => (await import("./tools/tree.ts")).tree(system)

/** `tsort [FILE]`: orders items by pairs. Source: tsort(1). */
export const tsort: Program = async (system) => (await import("./tools/tsort.ts")).tsort(system)

/**
 * `unexpand [-a] [-t LIST] [FILE]...`: converts blanks to tabs, at the start of lines or everywhere. Source: unexpand(1).
 */
export const unexpand: Program = async (system) => (await import("./tools/fold.ts")).unexpand(system)

/** `uptime [-ps]`: shows how long the sandbox has run. Source: uptime(1). */
export const uptime: Program = async (system) => (await import("./tools/uptime.ts")).uptime(system)

/** `uuidgen`: prints a random UUID. Source: RFC 9562. */
export const uuidgen: Program = async (system) => (await import("./tools/uuidgen.ts")).uuidgen(system)

/** `bc [-lq] [FILE]...`: computes with decimal numbers of any length. Source: bc(1). */
export const bc: Program = async (system) => (await import("./bc/bc.ts")).bc(system)

/** `join [-1 F] [-2 F] [-j F] [-t C] [-a N] [-v N] [-e TEXT] [-o LIST] [-i] FILE1 FILE2`: joins lines. Source: join(1). */
export const join: Program = async (system) => (await import("./tools/join.ts")).join(system)

/** `od [-A RADIX] [-t TYPE] [-N N] [-j N] [-w N] [-bcdosxv] [FILE]...`: dumps bytes. Source: od(1). */
export const od: Program = async (system) => (await import("./tools/od.ts")).od(system)
/**
 * `xxd [-p] [-c N] [-l N] [-s N] [-g N] [-u] [-r] [FILE]`: prints a hexadecimal dump, or reverts one. Source: xxd(1).
 */
export const xxd: Program = async (system) => (await import("./tools/xxd.ts")).xxd(system)
