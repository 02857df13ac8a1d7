/** For `@submit` of a form: `act` gets the texts of its fields by name, and the browser stays on the page. */
export function onSubmit(act: (texts: ReadonlyMap<string, string>, event: SubmitEvent) => void) {
  return (event: SubmitEvent): void => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const fields = [...new FormData(event.currentTarget)];
    act(new Map(fields.map(([name, value]) => [name, String(value)])), event);
  };
}
