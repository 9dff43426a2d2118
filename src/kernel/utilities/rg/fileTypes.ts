/** Names types of files by globs, for `rg -t`: the types of common languages in ripgrep 13. */
const list = String.raw`
asm: *.S *.asm *.s
awk: *.awk
bazel: *.BUILD *.bazel *.bazelrc *.bzl BUILD WORKSPACE
c: *.[chH] *.[chH].in *.cats
clojure: *.clj *.cljc *.cljs *.cljx
cmake: *.cmake CMakeLists.txt
config: *.cfg *.conf *.config *.ini
cpp: *.[ChH] *.[ChH].in *.[ch]pp *.[ch]pp.in *.[ch]xx *.[ch]xx.in *.cc *.cc.in *.hh *.hh.in *.inl
cs: *.cs
csharp: *.cs
css: *.css *.scss
csv: *.csv
dart: *.dart
diff: *.diff *.patch
docker: *Dockerfile*
elisp: *.el
elixir: *.eex *.ex *.exs
elm: *.elm
erlang: *.erl *.hrl
fish: *.fish
fsharp: *.fs *.fsi *.fsx
go: *.go
gradle: *.gradle
groovy: *.gradle *.groovy
h: *.h *.hpp
haskell: *.c2hs *.cpphs *.hs *.hsc *.lhs
html: *.ejs *.htm *.html
java: *.java *.jsp *.jspx *.properties
jinja: *.j2 *.jinja *.jinja2
js: *.js *.jsx *.vue
json: *.json composer.lock
jsonl: *.jsonl
julia: *.jl
jupyter: *.ipynb *.jpynb
kotlin: *.kt *.kts
less: *.less
license: *[.-]LICEN[CS]E* AGPL-*[0-9]* APACHE-*[0-9]* BSD-*[0-9]* CC-BY-* COPYING COPYING[.-]* COPYRIGHT COPYRIGHT[.-]* EULA EULA[.-]* GFDL-*[0-9]* GNU-*[0-9]* GPL-*[0-9]* LGPL-*[0-9]* LICEN[CS]E LICEN[CS]E[.-]* MIT-*[0-9]* MPL-*[0-9]* NOTICE NOTICE[.-]* OFL-*[0-9]* PATENTS PATENTS[.-]* UNLICEN[CS]E UNLICEN[CS]E[.-]* agpl[.-]* gpl[.-]* lgpl[.-]* licen[cs]e licen[cs]e.*
lisp: *.el *.jl *.lisp *.lsp *.sc *.scm
lock: *.lock package-lock.json
log: *.log
lua: *.lua
make: *.mak *.mk [Gg][Nn][Uu]makefile [Gg][Nn][Uu]makefile.am [Gg][Nn][Uu]makefile.in [Mm]akefile [Mm]akefile.am [Mm]akefile.in
man: *.[0-9][cEFMmpSx] *.[0-9lnpx]
markdown: *.markdown *.md *.mdown *.mkdn
md: *.markdown *.md *.mdown *.mkdn
ml: *.ml
nim: *.nim *.nimble *.nimf *.nims
nix: *.nix
objc: *.h *.m
ocaml: *.ml *.mli *.mll *.mly
org: *.org *.org_archive
perl: *.PL *.perl *.pl *.plh *.plx *.pm *.t
php: *.php *.php3 *.php4 *.php5 *.phtml
po: *.po
protobuf: *.proto
ps: *.cdxml *.ps1 *.ps1xml *.psd1 *.psm1
py: *.py
r: *.R *.Rmd *.Rnw *.r
readme: *README README*
rst: *.rst
ruby: *.gemspec *.rb *.rbw .irbrc Gemfile Rakefile config.ru
rust: *.rs
sass: *.sass *.scss
scala: *.sbt *.scala
sh: *.bash *.bashrc *.csh *.cshrc *.ksh *.kshrc *.sh *.tcsh *.zsh .bash_login .bash_logout .bash_profile .bashrc .cshrc .kshrc .login .logout .profile .tcshrc .zlogin .zlogout .zprofile .zshenv .zshrc bash_login bash_logout bash_profile bashrc profile zlogin zlogout zprofile zshenv zshrc
sql: *.psql *.sql
svg: *.svg
swift: *.swift
tcl: *.tcl
tex: *.bib *.cls *.dtx *.ins *.ltx *.sty *.tex
tf: *.tf
toml: *.toml Cargo.lock
ts: *.ts *.tsx
txt: *.txt
typoscript: *.ts *.typoscript
vala: *.vala
verilog: *.sv *.svh *.v *.vh
vhdl: *.vhd *.vhdl
vim: *.vim
xml: *.dtd *.rng *.sch *.xhtml *.xjb *.xml *.xml.dist *.xsd *.xsl *.xslt
yaml: *.yaml *.yml
zig: *.zig
zsh: *.zsh .zlogin .zlogout .zprofile .zshenv .zshrc zlogin zlogout zprofile zshenv zshrc
`

/** The globs of each type, by its name. */
export const fileTypes: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  list.trim().split("\n").map((line) => {
    const [name = "", globs = ""] = line.split(": ")
    return [name, globs.split(" ")] as const
  }),
)
