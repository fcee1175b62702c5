/**
 * Return the locale for dates and numbers: the browser's first locale with the page's language and a region, such as
 * en-GB, or else the language alone.
 */
export function regionalLocale(language: string, preferred: readonly string[] = navigator.languages): string {
  const regional = preferred.find((tag) => {
    const locale = new Intl.Locale(tag);
    return locale.language === language && locale.region !== undefined;
  });
  return regional ?? language;
}
