/**
 * Where the text comes from that the estimator is trained on and measured with: files of Debian
 * packages and of npm packages, and what is generated from them. The text itself is never kept in
 * the repository; only the weights are.
 */

/** How a file is turned into text. */
export type Reader = "plain" | "html" | "man" | "messages";

/** Files of one kind: those under `root` (a folder of a package) that match. */
export interface Source {
  readonly kind: string;
  readonly root: string;
  readonly files: RegExp;
  readonly reader: Reader;
  /** The share of non-ASCII units below which a file counts as not translated. */
  readonly foreign?: number;
}

export const debianPackages: readonly string[] = `
  aptitude-doc-en bible-kjv-text debian-faq debian-handbook debian-history debian-reference-en
  developers-reference doc-debian fortunes maint-guide gnome-user-docs installation-guide-amd64
  linux-doc-6.1 perl-doc manpages golang-1.19-src libboost1.74-dev libpython3.11-stdlib
  python3.11-doc iso-codes debian-reference-de debian-reference-es debian-reference-fr
  debian-reference-ja debian-reference-zh-cn debian-reference-zh-tw maint-guide-ja
  maint-guide-ru maint-guide-vi maint-guide-zh-cn maint-guide-zh-tw aptitude-doc-fr
  aptitude-doc-ja aptitude-doc-ru debian-faq-de debian-faq-fr debian-faq-ja debian-faq-ko
  debian-faq-ru debian-faq-zh-cn developers-reference-fr developers-reference-ja
  developers-reference-ru manpages-de manpages-el manpages-es manpages-fr manpages-ja
  manpages-pl manpages-pt-br manpages-ru manpages-tr manpages-uk manpages-vi manpages-zh
  libreoffice-help-el libreoffice-help-hi libreoffice-help-ja libreoffice-help-km
  libreoffice-help-ko libreoffice-help-vi libreoffice-help-zh-cn libreoffice-l10n-ar
  libreoffice-l10n-bn libreoffice-l10n-fa libreoffice-l10n-he libreoffice-l10n-hi
  libreoffice-l10n-ko libreoffice-l10n-ta libreoffice-l10n-th libreoffice-l10n-uk
  libreoffice-l10n-vi golang-github-docker-docker-dev golang-github-spf13-cobra-dev librust-clap-dev
  librust-regex-dev librust-tokio-dev python3-django python3-sqlalchemy git-doc python-django-doc gitmagic
`
  .trim()
  .split(/\s+/);

export const npmPackages: readonly string[] = `
  @anthropic-ai/sdk @reduxjs/toolkit @tanstack/query-core @trpc/server ai alpinejs bootstrap
  chart.js d3 date-fns effect eslint htmx.org jquery lodash openai prettier ra-core
  ra-ui-materialui react react-dom rxjs terser three@0.160 typescript@5 vue zod
`
  .trim()
  .split(/\s+/);

const html = /\.html$/;
const manPage = /\/man\d\/[^/]+\.gz$/;
const page = /\.page$/;

function translations(kind: string, language: string, foreign: number): readonly Source[] {
  const tag = language.replace("_", "-").toLowerCase();
  const all = (root: string, files: RegExp, reader: Reader): Source => {
    return { kind, root, files, reader, foreign };
  };
  return [
    all(`debian-reference-${tag}`, html, "html"),
    all(`maint-guide-${tag}`, html, "html"),
    all(`aptitude-doc-${tag}`, html, "html"),
    all(`debian-faq-${tag}`, html, "html"),
    all(`developers-reference-${tag}`, html, "html"),
    all(
      `debian-handbook/usr/share/doc/debian-handbook/html/${language.slice(0, 2)}-`,
      html,
      "html",
    ),
    all(
      `installation-guide-amd64/usr/share/doc/installation-guide-amd64/${language}/`,
      html,
      "html",
    ),
    all(`gnome-user-docs/usr/share/help/${language}/`, page, "html"),
    all(`libreoffice-help-${tag}/usr/share/libreoffice/help/${tag}/text`, html, "html"),
    all(`libreoffice-l10n-${tag}`, /\.mo$/, "messages"),
    all(`manpages-${tag}`, manPage, "man"),
  ];
}

export const debianSources: readonly Source[] = [
  {
    kind: "en",
    root: "debian-handbook/usr/share/doc/debian-handbook/html/en-US",
    files: html,
    reader: "html",
  },
  { kind: "en", root: "debian-faq/", files: html, reader: "html" },
  { kind: "en", root: "debian-reference-en", files: html, reader: "html" },
  { kind: "en", root: "developers-reference/", files: html, reader: "html" },
  { kind: "en", root: "debian-history", files: html, reader: "html" },
  { kind: "en", root: "doc-debian", files: /\.(txt|gz)$/, reader: "plain" },
  { kind: "en", root: "fortunes", files: /games\/fortunes\/[a-z-]+$/, reader: "plain" },
  { kind: "en", root: "gnome-user-docs/usr/share/help/C/", files: page, reader: "html" },
  { kind: "en", root: "manpages/", files: manPage, reader: "man" },
  {
    kind: "en",
    root: "python3.11-doc",
    files: /\/(tutorial|howto|faq|whatsnew)\/.*\.html$/,
    reader: "html",
  },
  { kind: "guide", root: "git-doc", files: /\.txt(\.gz)?$/, reader: "plain" },
  { kind: "guide", root: "python-django-doc", files: /\.txt(\.gz)?$/, reader: "plain" },
  { kind: "guide", root: "gitmagic", files: /\/html\/(en\/)?[^/]+\.html$/, reader: "html" },
  { kind: "md", root: "python3.11-doc", files: /\.rst\.txt$/, reader: "plain" },
  { kind: "md", root: "linux-doc-6.1", files: /\.rst\.gz$/, reader: "plain" },
  { kind: "md", root: "perl-doc", files: /\.pod$/, reader: "plain" },
  {
    kind: "html",
    root: "debian-handbook/usr/share/doc/debian-handbook/html/en-US",
    files: html,
    reader: "plain",
  },
  { kind: "html", root: "gnome-user-docs/usr/share/help/C/", files: page, reader: "plain" },
  { kind: "py", root: "libpython3.11-stdlib", files: /\.py$/, reader: "plain" },
  { kind: "py", root: "python3-django", files: /\.py$/, reader: "plain" },
  { kind: "py", root: "python3-sqlalchemy", files: /\.py$/, reader: "plain" },
  { kind: "go", root: "golang-github-docker-docker-dev", files: /\.go$/, reader: "plain" },
  { kind: "go", root: "golang-github-spf13-cobra-dev", files: /\.go$/, reader: "plain" },
  { kind: "rust", root: "librust-clap-dev", files: /\.rs$/, reader: "plain" },
  { kind: "rust", root: "librust-regex-dev", files: /\.rs$/, reader: "plain" },
  { kind: "rust", root: "librust-tokio-dev", files: /\.rs$/, reader: "plain" },
  { kind: "code", root: "golang-1.19-src", files: /\.(go|s|c|sh)$/, reader: "plain" },
  { kind: "code", root: "libboost1.74-dev", files: /\.(hpp|h|cmake)$/, reader: "plain" },
  { kind: "json", root: "iso-codes", files: /\.json$/, reader: "plain" },
  ...translations("vi", "vi", 0.08),
  ...translations("zh", "zh_CN", 0.3),
  ...translations("zh", "zh_TW", 0.3),
  ...translations("zh", "zh", 0.3),
  ...translations("ja", "ja", 0.3),
  ...translations("ko", "ko", 0.3),
  ...translations("ru", "ru", 0.3),
  ...translations("uk", "uk", 0.3),
  ...translations("ar", "ar", 0.3),
  ...translations("fa", "fa", 0.3),
  ...translations("he", "he", 0.3),
  ...translations("th", "th", 0.3),
  ...translations("hi", "hi", 0.12),
  ...translations("indic", "bn", 0.3),
  ...translations("indic", "ta", 0.3),
  ...translations("indic", "gu", 0.3),
  ...translations("indic", "te", 0.3),
  ...translations("indic", "mr", 0.3),
  ...translations("el", "el", 0.3),
  ...translations("fr", "fr", 0.01),
  ...translations("de", "de", 0.005),
  ...translations("es", "es", 0.005),
  ...translations("latin", "pt_BR", 0.005),
  ...translations("latin", "it", 0.002),
  ...translations("latin", "nl", 0),
  ...translations("latin", "sv", 0.005),
  ...translations("latin", "id", 0),
  ...translations("latin", "fi", 0.005),
  ...translations("latin", "ro", 0.005),
  ...translations("latin-ext", "pl", 0.02),
  ...translations("latin-ext", "cs", 0.02),
  ...translations("latin-ext", "tr", 0.02),
  ...translations("latin-ext", "hu", 0.02),
];

export const npmSources: readonly Source[] = [
  { kind: "ts", root: "rxjs/src", files: /\.ts$/, reader: "plain" },
  { kind: "ts", root: "effect/src", files: /\.ts$/, reader: "plain" },
  { kind: "ts", root: "zod/src", files: /\.ts$/, reader: "plain" },
  { kind: "ts", root: "typescript/lib", files: /lib\..*\.d\.ts$/, reader: "plain" },
  { kind: "ts", root: "vue", files: /\.d\.ts$/, reader: "plain" },
  { kind: "guide", root: "ai/docs", files: /\.mdx?$/, reader: "plain" },
  { kind: "app", root: "openai/src", files: /\.ts$/, reader: "plain" },
  { kind: "app", root: "@anthropic-ai/sdk/src", files: /\.ts$/, reader: "plain" },
  { kind: "app", root: "ai/src", files: /\.ts$/, reader: "plain" },
  { kind: "app", root: "@reduxjs/toolkit/src", files: /\.tsx?$/, reader: "plain" },
  { kind: "app", root: "@tanstack/query-core/src", files: /\.ts$/, reader: "plain" },
  { kind: "app", root: "@trpc/server/src", files: /\.ts$/, reader: "plain" },
  { kind: "app", root: "ra-ui-materialui/src", files: /\.tsx?$/, reader: "plain" },
  { kind: "app", root: "ra-core/src", files: /\.tsx?$/, reader: "plain" },
  { kind: "app", root: "eslint/lib", files: /\.js$/, reader: "plain" },
  { kind: "code", root: "date-fns", files: /\.js$/, reader: "plain" },
  { kind: "code", root: "lodash", files: /\.js$/, reader: "plain" },
  { kind: "code", root: "three/src", files: /\.js$/, reader: "plain" },
  { kind: "code", root: "bootstrap", files: /\.(scss|css)$/, reader: "plain" },
  { kind: "md", root: "", files: /\.md$/i, reader: "plain" },
  { kind: "json", root: "", files: /\.json$/, reader: "plain" },
  { kind: "minjs", root: "", files: /\.min\.(js|css|mjs|cjs)$/, reader: "plain" },
  { kind: "minjs", root: "prettier/plugins", files: /\.(js|mjs)$/, reader: "plain" },
  { kind: "minjs", root: "vue", files: /\.prod\.js$/, reader: "plain" },
];
