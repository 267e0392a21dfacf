// What each client of a JavaScript library does: some reads at the same time, some one after the other, and a contact.
const [base, key, business] = ["BASE_URL", "API_KEY", "BUSINESS_NUMBER"].map((name) => process.env[`STANDIN_${name}`]);

export const headers = { "content-type": "application/json", "x-api-key": key, "x-business-number": business };
export const retries = Number(process.env.RETRIES ?? 2);

const reads = Array.from({ length: 20 }, (_, at) => [`/v1/review/businessId/${business}?sindex=0&count=${at + 1}`, {}]);
const contact = [
  "/v1/contact/external/preferences/saveCustomer",
  { externalId: "s-1", firstName: "Sam", email: "sam@mail.test", businessIds: [Number(business)] },
];

/** `send` gets a URL and a body, and resolves to the text of a 200, or throws. Ends with 1 if one of the calls failed. */
export async function work(send) {
  const one = async ([path, body]) => {
    try {
      JSON.parse(await send(base + path, body));
      return true;
    } catch (error) {
      console.error(`${path}: ${error}`);
      return false;
    }
  };
  const done = await Promise.all(reads.slice(0, 10).map(one));
  for (const call of [...reads.slice(10), contact]) done.push(await one(call));
  process.exit(done.every(Boolean) ? 0 : 1);
}
