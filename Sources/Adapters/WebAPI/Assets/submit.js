// Sends the answer on to the client (OAuth 2.0 Form Post Response Mode).
document.forms[0].submit();
