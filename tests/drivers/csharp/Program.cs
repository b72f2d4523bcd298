// Runs the scenarios in order and reports each one to the launcher.
using Mayfly.Drivers;

var context = new Context(Environment.GetEnvironmentVariable("MAYFLY_URI"));
int failed = 0;
foreach (var (name, scenario) in Crud.First.Concat(Ttl.Scenarios).Concat(Crud.Scenarios))
{
    try
    {
        scenario(context);
        Console.WriteLine($"ok {name}");
    }
    catch (Exception error)
    {
        ++failed;
        string text = string.Join(' ', error.Message.Split((char[])null, StringSplitOptions.RemoveEmptyEntries));
        string where = (error.StackTrace ?? "").Split('\n').FirstOrDefault(line => line.Contains("Ttl.cs") || line.Contains("Crud.cs")) ?? "";
        Console.WriteLine($"not ok {name}: {error.GetType().Name}: {text} {where.Trim()}");
    }
    Console.Out.Flush();
}
return failed == 0 ? 0 : 1;
